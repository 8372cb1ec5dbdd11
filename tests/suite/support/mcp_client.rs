//! An MCP client that starts `cm mcp` and communicates over standard streams.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::Sandbox;

/// Protocol revision of the client: the last one with a handshake.
const REVISION: &str = "2025-11-25";

/// The client with its server process.
#[derive(Debug)]
pub struct McpClient {
    program: Child,
    write: Option<ChildStdin>,
    read: BufReader<ChildStdout>,
    last: u64,
    /// Notifications received while waiting for something else.
    notifications: Vec<Value>,
}

/// Result of the ended process.
#[derive(Debug)]
pub struct Left {
    pub code: Option<i32>,
    /// Messages after the end of the input.
    pub last: Vec<Value>,
    pub stderr: String,
}

impl McpClient {
    /// Starts `cm mcp` in the sandbox's vault and performs the handshake as agent `tester`.
    pub fn of(sandbox: &Sandbox) -> Self {
        Self::named(sandbox, "tester")
    }

    /// Like [`Self::of`], as another agent.
    pub fn named(sandbox: &Sandbox, name: &str) -> Self {
        let mut command = sandbox.command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().expect("the program was built with the tests");
        let write = program.stdin.take();
        let read = BufReader::new(program.stdout.take().expect("stdout is a pipe"));
        let mut agent = Self { program, write, read, last: 0, notifications: Vec::new() };
        let hello = json!({
            "protocolVersion": REVISION, "capabilities": {},
            "clientInfo": { "name": name, "version": "1" },
        });
        let answer = agent.ask("initialize", hello);
        assert_eq!(answer["protocolVersion"], REVISION);
        agent.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    /// Returns the process id.
    pub fn process(&self) -> u32 {
        self.program.id()
    }

    fn say(&mut self, message: &Value) {
        let write = self.write.as_mut().expect("its input is open");
        write.write_all(format!("{message}\n").as_bytes()).expect("the program reads");
    }

    /// Reads the next message. Any other output on stdout is an error.
    fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.read.read_line(&mut line).expect("stdout can be read") == 0 {
            return None;
        }
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Sends a request and returns the whole response, with `result` or `error`.
    pub fn answer(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.hear().expect("an answer");
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Sends a request that must succeed and returns its result.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Calls a tool and returns its result, which may be an error.
    pub fn call(&mut self, tool: &str, given: &Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": given }))
    }

    /// Calls a tool that must succeed and returns its structured content.
    pub fn done(&mut self, tool: &str, given: &Value) -> Value {
        let mut result = self.call(tool, given);
        assert_eq!(result["isError"], false, "{tool} {given}: {result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that must fail and returns the error document.
    pub fn refused(&mut self, tool: &str, given: &Value) -> Value {
        let result = self.call(tool, given);
        assert_eq!(result["isError"], true, "{tool} {given}: {result}");
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// Waits for a notification with this method and URI.
    pub fn wait_for_notification(&mut self, method: &str, uri: Option<&str>) {
        let is = |message: &Value| {
            message["method"] == method && uri.is_none_or(|uri| message["params"]["uri"] == uri)
        };
        while !self.notifications.iter().any(is) {
            let message = self.hear().expect("more is told");
            self.notifications.push(message);
        }
        self.notifications.clear();
    }

    /// Closes the input of the process and waits for its end.
    pub fn leave(mut self) -> Left {
        drop(self.write.take());
        self.end()
    }

    /// Waits for the end of the process.
    pub fn end(mut self) -> Left {
        let mut last = Vec::new();
        while let Some(message) = self.hear() {
            last.push(message);
        }
        let mut stderr = String::new();
        let mut pipe = self.program.stderr.take().expect("stderr is a pipe");
        pipe.read_to_string(&mut stderr).expect("stderr is text");
        let code = self.program.wait().expect("it ends").code();
        Left { code, last, stderr }
    }
}
