//! Groups numbered elements that are joined pair by pair.

/// Union-find structure: each entry points to an element of the same group, the smallest element of a
/// group to itself.
pub struct UnionFind(Vec<usize>);

impl UnionFind {
    /// Creates `count` groups of one element each.
    pub fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// Returns the smallest element of the group of `element`.
    pub fn root(&mut self, mut element: usize) -> usize {
        while self.0[element] != element {
            self.0[element] = self.0[self.0[element]];
            element = self.0[element];
        }
        element
    }

    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller number stays root, so that the result does not depend on the order of the pairs.
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_do_not_depend_on_the_order_of_joining(
            pairs in proptest::collection::vec((0_usize..20, 0_usize..20), 0..30),
        ) {
            let roots = |pairs: &mut dyn Iterator<Item = &(usize, usize)>| {
                let mut groups = UnionFind::new(20);
                pairs.for_each(|(a, b)| groups.join(*a, *b));
                (0..20).map(|element| groups.root(element)).collect::<Vec<_>>()
            };
            let found = roots(&mut pairs.iter());
            prop_assert_eq!(&found, &roots(&mut pairs.iter().rev()));
            prop_assert!(found.iter().enumerate().all(|(element, root)| *root <= element));
        }
    }
}
