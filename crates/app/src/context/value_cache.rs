//! Values computed from one version of a vault: its settings, its notes, and what takes long to compute
//! from them.
//!
//! The cache decides nothing about freshness: a version is a text that names everything on which the
//! value depends, and the caller determines it before the value.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::error::Result;

/// The last value of one type with its version; `None` before the first one.
type Slot = Mutex<Option<(String, Arc<dyn Any + Send + Sync>)>>;

/// The last computed value of each type.
#[derive(Debug, Default)]
pub(crate) struct ValueCache(Mutex<HashMap<TypeId, Arc<Slot>>>);

impl ValueCache {
    /// Returns the value of this version, which `compute` creates unless it is stored. Threads that
    /// want a value of the same type meanwhile wait for it. A value of another version is replaced.
    ///
    /// # Errors
    /// The errors of `compute`; nothing is stored then.
    pub(crate) fn of_version<V: Send + Sync + 'static>(
        &self,
        version: &str,
        compute: impl FnOnce() -> Result<V>,
    ) -> Result<Arc<V>> {
        let slot = self.slot::<V>();
        let mut stored = slot.lock();
        if let Some(value) = value_in(&stored, version) {
            return Ok(value);
        }
        // Freed first, so that memory holds one value at a time.
        *stored = None;
        let value = Arc::new(compute()?);
        *stored = Some((version.to_owned(), Arc::clone(&value) as Arc<dyn Any + Send + Sync>));
        Ok(value)
    }

    /// Returns the stored value if it is of this version, without waiting for a computation.
    pub(crate) fn stored<V: Send + Sync + 'static>(&self, version: &str) -> Option<Arc<V>> {
        let slot = self.slot::<V>();
        value_in(&slot.try_lock()?, version)
    }

    fn slot<V: 'static>(&self) -> Arc<Slot> {
        let mut slots = self.0.lock();
        Arc::clone(slots.entry(TypeId::of::<V>()).or_default())
    }
}

fn value_in<V: Send + Sync + 'static>(
    stored: &MutexGuard<'_, Option<(String, Arc<dyn Any + Send + Sync>)>>,
    version: &str,
) -> Option<Arc<V>> {
    let (_, value) = stored.as_ref().filter(|(of, _)| of == version)?;
    Arc::clone(value).downcast().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_value_is_computed_once_for_a_version_and_again_for_another_one() {
        let cache = ValueCache::default();
        let of = |version: &str, value: u32| *cache.of_version(version, || Ok(value)).unwrap();
        assert_eq!((of("1", 10), of("1", 11), of("2", 12), of("1", 13)), (10, 10, 12, 13));
        assert_eq!(*cache.of_version("1", || Ok("text")).unwrap(), "text", "types do not share a value");
        assert_eq!(cache.stored::<u32>("1").as_deref(), Some(&13));
        assert_eq!(cache.stored::<u32>("2"), None);
    }

    #[test]
    fn an_error_is_not_stored() {
        let cache = ValueCache::default();
        assert!(cache.of_version::<u32>("1", || Err(Error::not_found("gone"))).is_err());
        assert_eq!(*cache.of_version("1", || Ok(5_u32)).unwrap(), 5);
    }

    #[test]
    fn threads_that_want_the_same_value_share_one_computation() {
        let (cache, count) = (ValueCache::default(), Mutex::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    cache.of_version("1", || {
                        *count.lock() += 1;
                        Ok(1_u8)
                    })
                });
            }
        });
        assert_eq!(*count.lock(), 1);
    }
}
