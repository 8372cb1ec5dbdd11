//! A small playbook for tests of commands: two rules and a memory.

use crate::support::{Sandbox, vault_of};

/// Id of "Run the whole suite before you push."
pub const SUITE: &str = "b-mt2ssunl-jq6d8j";
/// Id of "Retry requests at once, up to five times."
pub const JITTER: &str = "b-mnq4ancz-yuvp8h";

/// Creates the vault, committed in its own repository.
pub fn rules() -> Sandbox {
    vault_of(TEXT)
}

const TEXT: &str = "\
--- playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md
---
id: b-mt2ssunl-jq6d8j
category: testing
state: active
created: 2026-11-01T08:00:00Z
updated: 2026-11-01T08:00:00Z
---

Run the whole suite before you push.
--- playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
---
id: b-mnq4ancz-yuvp8h
category: net
state: active
tags: [retry]
sources:
  - {session: s-1, agent: otter, line: 12}
created: 2026-11-01T08:00:00Z
updated: 2026-11-01T08:00:00Z
---

Retry requests at once, up to five times.

## Why

The gateway drops one in a hundred.
--- graph/solutions/retry-with-jitter-1f0c2a.md
---
id: 1f0c2a00-0000-4000-8000-000000000001
type: solution
title: Retry with jitter
tags: [net, retry]
importance: 0.8
created: 2026-11-01T08:00:00Z
updated: 2026-11-01T08:00:00Z
---

# Retry with jitter

Spread retries over 30 s.
";
