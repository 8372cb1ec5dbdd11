// cm hooks: written by `cm hooks install pi`; manual changes are lost.
//
// Sends session events of pi to cm and passes its answers to the model. Errors count as an empty answer.

import { spawn } from "node:child_process"

const PROGRAM = "cm"
const PATIENCE_MS = 5_000
const GUARDED = ["bash", "write", "edit"]

/** What cm answers to an event; an empty object where it answers nothing. */
function ask(event, directory, message) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", "pi", event], { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill(), PATIENCE_MS)
      let said = ""
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => (said += piece))
      child.stdin.on("error", () => {})
      child.on("error", () => {
        clearTimeout(timer)
        resolve({})
      })
      child.on("close", () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(said) ?? {})
        } catch {
          resolve({})
        }
      })
      child.stdin.end(JSON.stringify(message))
    } catch {
      resolve({})
    }
  })
}

export default function (pi) {
  // The start text is part of the conversation; a compaction removes it.
  let begun = false
  let source = "startup"

  const message = (event, ctx) => ({
    agent: "pi",
    hook_event_name: event,
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile(),
    cwd: ctx.cwd,
    interactive: ctx.hasUI,
  })
  const tell = (event, ctx, more = {}) => ask(event, ctx.cwd, { ...message(event, ctx), ...more })

  pi.on("session_start", (event) => {
    begun = false
    source = event.reason === "resume" || event.reason === "fork" ? event.reason : "startup"
  })

  pi.on("before_agent_start", async (event, ctx) => {
    const answers = []
    if (!begun) {
      begun = true
      answers.push(await tell("session-start", ctx, { source }))
    }
    answers.push(await tell("prompt", ctx, { prompt: event.prompt }))
    const texts = answers.map((answer) => answer.context).filter((text) => typeof text === "string")
    if (texts.length > 0) return { message: { customType: "cm", content: texts.join("\n\n"), display: false } }
  })

  pi.on("tool_call", async (event, ctx) => {
    if (!GUARDED.includes(event.toolName)) return
    const answer = await tell("pre-tool", ctx, { tool_name: event.toolName, tool_input: event.input })
    if (typeof answer.deny === "string") return { block: true, reason: `cm guard: ${answer.deny}` }
    // Without a person nobody can answer, and the call goes on.
    if (typeof answer.ask === "string" && ctx.hasUI && !(await ctx.ui.confirm("cm guard", answer.ask))) {
      return { block: true, reason: `cm guard: ${answer.ask}` }
    }
  })

  pi.on("session_before_compact", async (_, ctx) => {
    begun = false
    source = "compact"
    await tell("pre-compact", ctx)
  })

  pi.on("agent_end", async (_, ctx) => {
    const answer = await tell("stop", ctx)
    // Without a person nobody typed what is asked about.
    if (typeof answer.request !== "string" || !ctx.hasUI) return
    const request = { customType: "cm", content: answer.request, display: false }
    pi.sendMessage(request, { deliverAs: "followUp", triggerTurn: true })
  })

  pi.on("session_shutdown", async (event, ctx) => {
    if (event.reason !== "reload") await tell("session-end", ctx)
  })
}
