//! Computes values for many inputs in several threads.

use std::panic::resume_unwind;
use std::thread;

/// Splits the inputs into one part per thread, computes the parts at once, and returns their values in the
/// order of the inputs. The last part is computed in the calling thread.
///
/// # Errors
/// The error of the first part that has one.
pub(super) fn in_parts<T: Sync, V: Send, E: Send>(
    inputs: &[T],
    threads: usize,
    compute: impl Fn(&[T]) -> Result<Vec<V>, E> + Sync,
) -> Result<Vec<V>, E> {
    let size = inputs.len().div_ceil(threads.max(1)).max(1);
    let mut parts = inputs.chunks(size);
    let Some(last) = parts.next_back() else { return Ok(Vec::new()) };
    thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| scope.spawn(|| compute(part))).collect();
        let last = compute(last);
        let mut all = Vec::with_capacity(inputs.len());
        for other in others {
            // A panic in a thread is a fault of the program, and goes on in this one.
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        }
        all.extend(last?);
        Ok(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_have_the_order_of_the_inputs_for_any_number_of_threads() {
        for count in 0..20 {
            let inputs: Vec<usize> = (0..count).collect();
            for threads in 0..5 {
                let found: Result<_, ()> =
                    in_parts(&inputs, threads, |part| Ok(part.iter().map(|n| n * 2).collect()));
                assert_eq!(found, Ok(inputs.iter().map(|n| n * 2).collect::<Vec<_>>()));
            }
        }
    }

    #[test]
    fn an_error_of_any_part_is_returned() {
        for bad in [0, 4, 9] {
            let inputs: Vec<usize> = (0..10).collect();
            let compute = |part: &[usize]| if part.contains(&bad) { Err(bad) } else { Ok(part.to_vec()) };
            assert_eq!(in_parts(&inputs, 3, compute), Err(bad));
        }
    }
}
