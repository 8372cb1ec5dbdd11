//! A small vault with notes of every kind, used by many tests of commands.

use super::{Sandbox, vault_of};

/// Twelve files: memories of several types, including a pinned and a faded one, an edge, a rule, a
/// daily note, and a plain note.
const HARBOUR: &str = r#"
--- graph/solutions/keep-pooled-connections-alive-1a1a1a.md
---
id: 1a1a1a1a-0000-4000-8000-000000000001
type: solution
title: Keep pooled connections alive
tags: [postgres, network]
importance: 0.9
created: 2026-11-09T14:02:00Z
updated: 2026-11-10T09:30:00Z
---

# Keep pooled connections alive

Set socket_keepalive to 240 s, below the firewall's 300. See [[Use Postgres]].

SOLVES:: [[API stops answering]]
--- graph/problems/api-stops-answering-2b2b2b.md
---
id: 2b2b2b2b-0000-4000-8000-000000000002
type: problem
title: API stops answering
tags: [outage, network]
importance: 0.6
created: 2026-11-09T08:00:00Z
updated: 2026-11-09T08:00:00Z
---

# API stops answering

After a quiet night every request hangs: the connection pool holds dead connections.
--- graph/decisions/use-postgres-3c3c3c.md
---
id: 3c3c3c3c-0000-4000-8000-000000000003
type: decision
title: Use Postgres
tags: [postgres, storage]
importance: 0.8
created: 2026-03-04T14:00:00Z
updated: 2026-10-02T09:30:00Z
---

# Use Postgres

Not SQLite: the worker lives on another machine.
--- graph/errors/borrow-checker-4d4d4d.md
---
id: 4d4d4d4d-0000-4000-8000-000000000004
type: error
title: Borrow checker refuses the cache
tags: [lang/rust]
importance: 0.5
created: 2026-11-01
updated: 2026-11-01
---

# Borrow checker refuses the cache

rustc says E0502 where SocketKeepAlive is held across the loop. No C++ compiler would tell.
--- graph/fixes/skip-hooks-5e5e5e.md
---
id: 5e5e5e5e-0000-4000-8000-000000000005
type: fix
title: Never skip the hooks
tags: [git, lang/javascript]
importance: 0.7
created: 2026-11-15T10:00:00Z
updated: 2026-11-15T10:00:00Z
---

# Never skip the hooks

`git commit --no-verify` let a broken node.js build through.
--- graph/configurations/socket-6f6f6f.md
---
id: 6f6f6f6f-0000-4000-8000-000000000006
type: configuration
title: Limits of the gateway
tags: [network]
importance: 0.6
created: 2026-10-20T10:00:00Z
updated: 2026-11-18T10:00:00Z
---

# Limits of the gateway

The socket keepalive of the gateway is 60 s, and its retries are three.
--- vault/heights-7a7a7a.md
---
id: 7a7a7a7a-0000-4000-8000-000000000007
type: fact
title: Heights are relative to chart datum
tags: [units]
importance: 0.5
created: 2025-01-01T00:00:00Z
updated: 2025-01-01T00:00:00Z
---

# Heights are relative to chart datum

Never to the gauge's zero.
--- graph/general/old-printer-8b8b8b.md
---
id: 8b8b8b8b-0000-4000-8000-000000000008
type: general
title: The old printer
tags: []
importance: 0.3
created: 2025-02-01T00:00:00Z
updated: 2025-02-01T00:00:00Z
---

# The old printer

It stood in the harbour office.
--- graph/edges/keep-pooled--REQUIRES--use-postgres-9c9c9c.md
---
id: 9c9c9c9c-0000-4000-8000-000000000009
type: REQUIRES
from_id: 1a1a1a1a-0000-4000-8000-000000000001
from_title: Keep pooled connections alive
to_id: 3c3c3c3c-0000-4000-8000-000000000003
to_title: Use Postgres
strength: 0.8
created: 2026-11-10T09:30:00Z
updated: 2026-11-10T09:30:00Z
---

The pool is that of Postgres.
--- playbook/testing/b-mq6d3m8l-x1.md
---
id: b-mq6d3m8l-x1y2z3
type: rule
category: testing
state: active
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---
Run the tests of the worker with a real database.
--- episodes/2026-11-09.md
---
date: 2026-11-09
---

# 2026-11-09

## 14:02 - Found the silent firewall

- **Type**: fix
- **Summary**: the firewall forgets idle connections
--- notes/reading-list.md
# Reading list

- A book on tides, see [the decision](../graph/decisions/use-postgres-3c3c3c.md)
"#;

/// Creates the vault of [`HARBOUR`].
pub fn harbour() -> Sandbox {
    let sandbox = vault_of(HARBOUR);
    sandbox.set_modified("notes/reading-list.md", "2025-06-01");
    sandbox
}
