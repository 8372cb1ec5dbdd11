//! The briefing of `cm context` as JSON and TOON.

use super::RETRIES;
use crate::support::vault_of;

#[test]
fn the_same_briefing_is_json_and_toon() {
    let sandbox = vault_of(RETRIES);
    let json = sandbox.cm(&["context", "retry calls to the gateway", "--limit-rules", "2", "--json"]);
    insta::assert_snapshot!(json.snapshot(), @r#"
    {
      "task": "retry calls to the gateway",
      "workspace": "vault",
      "rules": [
        {
          "id": "b-mq6d3m8l-dddddd",
          "content": "Print no secret, wherever it comes from.",
          "category": "security",
          "type": "rule",
          "maturity": "established",
          "score": 0.0,
          "helpful": 0,
          "harmful": 0,
          "pinned": true,
          "why": "standing",
          "path": "playbook/security/secrets-dddddd.md",
          "vault": "project"
        }
      ],
      "pitfalls": [
        {
          "id": "b-mq6d3m8l-cccccc",
          "content": "AVOID: a retry of all gateway calls in the same second.",
          "category": "net",
          "type": "anti_pattern",
          "maturity": "candidate",
          "score": 0.0,
          "helpful": 0,
          "harmful": 0,
          "pinned": false,
          "why": "task",
          "path": "playbook/net/at-once-cccccc.md",
          "vault": "project"
        }
      ],
      "memories": [
        {
          "id": "1a1a1a1a-0000-4000-8000-000000000001",
          "title": "Back off before a retry",
          "type": "solution",
          "path": "graph/solutions/backoff-1a1a1a.md",
          "score": 0.9582,
          "snippet": "The gateway answers 429 where calls come too fast; wait longer each time.",
          "tags": [
            "net",
            "retry"
          ],
          "origin": "a person",
          "vault": "project"
        },
        {
          "id": "2b2b2b2b-0000-4000-8000-000000000002",
          "title": "Retry counts lie in Postgres",
          "type": "fact",
          "path": "graph/facts/postgres-2b2b2b.md",
          "score": 0.6488,
          "snippet": "Each retry of a call to the gateway is a row.",
          "tags": [],
          "origin": "a person",
          "vault": "project"
        },
        {
          "id": "3c3c3c3c-0000-4000-8000-000000000003",
          "title": "Retry the gateway twice",
          "type": "fact",
          "path": "graph/facts/old-3c3c3c.md",
          "score": 0.1957,
          "snippet": "Two calls suffice: retry the gateway once more.",
          "tags": [],
          "origin": "a person",
          "vault": "project"
        }
      ],
      "unverified": [],
      "history": [],
      "warnings": [
        {
          "kind": "replaced",
          "id": "b-mq6d3m8l-iiiiii",
          "pattern": "Retry gateway calls five times.",
          "reason": "it made an outage longer",
          "replacement": "Retry gateway calls with `full_jitter`, never at once. (b-mq6d3m8l-aaaaaa)",
          "where": "task"
        }
      ],
      "searches": [
        "retry calls gateway type:problem,error,fix,solution",
        "retry calls gateway"
      ],
      "feedback": "cm mark ID --helpful, or --harmful --reason caused_bug; in what you write: [cm: helpful ID]",
      "omitted": {
        "rules": 2,
        "pitfalls": 0,
        "memories": 0,
        "history": 0
      },
      "tokens": 300,
      "notices": [
        "1 rule is skipped because of hidden characters: `cm validate` shows them",
        "no sessions are indexed"
      ]
    }
    [exit 0]
    "#);
    let format =
        sandbox.cm(&["context", "retry calls to the gateway", "--limit-rules", "2", "--format", "json"]);
    assert_eq!(format.stdout, json.stdout);
    let toon = sandbox.cm(&["context", "retry calls to the gateway", "--format", "toon"]);
    insta::assert_snapshot!(toon.snapshot(), @r#"
    task: retry calls to the gateway
    workspace: vault
    rules[5]{id,content,category,type,maturity,score,helpful,harmful,pinned,why,path,vault}:
      b-mq6d3m8l-dddddd,"Print no secret, wherever it comes from.",security,rule,established,0,0,0,true,standing,playbook/security/secrets-dddddd.md,project
      b-mq6d3m8l-aaaaaa,"Retry gateway calls with `full_jitter`, never at once.",net,rule,established,1.8494,2,0,false,task,playbook/net/jitter-aaaaaa.md,project
      b-mq6d3m8l-bbbbbb,Retry gateway calls through Moment.js in one place.,net,rule,candidate,-1.8352,0,1,false,task,playbook/net/blamed-bbbbbb.md,project
      b-mq6d3m8l-gggggg,Set a lock timeout before any change of tables.,db,rule,proven,0,0,0,false,standing,playbook/db/postgres-gggggg.md,project
      b-mq6d3m8l-eeeeee,Name numbers with their units.,style,rule,established,0.9176,1,0,false,standing,playbook/style/here-eeeeee.md,project
    pitfalls[1]{id,content,category,type,maturity,score,helpful,harmful,pinned,why,path,vault}:
      b-mq6d3m8l-cccccc,"AVOID: a retry of all gateway calls in the same second.",net,anti_pattern,candidate,0,0,0,false,task,playbook/net/at-once-cccccc.md,project
    memories[3]{id,title,type,path,score,snippet,tags,origin,vault}:
      1a1a1a1a-0000-4000-8000-000000000001,Back off before a retry,solution,graph/solutions/backoff-1a1a1a.md,0.9582,The gateway answers 429 where calls come too fast; wait longer each time.,"net, retry",a person,project
      2b2b2b2b-0000-4000-8000-000000000002,Retry counts lie in Postgres,fact,graph/facts/postgres-2b2b2b.md,0.6488,Each retry of a call to the gateway is a row.,"",a person,project
      3c3c3c3c-0000-4000-8000-000000000003,Retry the gateway twice,fact,graph/facts/old-3c3c3c.md,0.1957,"Two calls suffice: retry the gateway once more.","",a person,project
    unverified: []
    history: []
    warnings[2]{kind,id,pattern,reason,replacement,where}:
      deprecated,12121212-0000-4000-8000-000000000012,moment.js,unmaintained since 2020,Temporal,b-mq6d3m8l-bbbbbb
      replaced,b-mq6d3m8l-iiiiii,Retry gateway calls five times.,it made an outage longer,"Retry gateway calls with `full_jitter`, never at once. (b-mq6d3m8l-aaaaaa)",task
    searches[3]: retry full jitter,"retry calls gateway type:problem,error,fix,solution",retry calls gateway
    feedback: "cm mark ID --helpful, or --harmful --reason caused_bug; in what you write: [cm: helpful ID]"
    omitted:
      rules: 0
      pitfalls: 0
      memories: 0
      history: 0
    tokens: 416
    notices[2]: "1 rule is skipped because of hidden characters: `cm validate` shows them",no sessions are indexed
    [exit 0]
    "#);
}
