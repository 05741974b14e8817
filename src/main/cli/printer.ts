import { createPortLines, processLine } from '#host/headless/process-line.ts'
import type { RefusedReport, RunReport } from '#host/headless/run-report.ts'
import type { ProjectEvent } from '#host/headless/run-task.ts'
import { escapeControls, printableJson, shownName } from '#shared/base/control-characters.ts'
import type { JsonObject } from '#shared/base/json.ts'
import { findOddCharacters } from '#shared/text/odd-characters.ts'
import { printStatus } from './print-status.ts'

/** Prints a run: events as JSON lines, or text for people. Only the answer goes to standard output then. */
export interface Printer {
  event(event: ProjectEvent): void
  finish(report: RunReport | RefusedReport): void
}

export function createPrinter(json: boolean): Printer {
  return json ? jsonPrinter : createTextPrinter()
}

const jsonPrinter: Printer = {
  event: (event) => void process.stdout.write(`${printableJson(event)}\n`),
  finish: (report) => void process.stdout.write(`${printableJson(report)}\n`),
}

function createTextPrinter(): Printer {
  const portLine = createPortLines()
  return {
    event(event) {
      const line = lineFor(event)
      if (line !== undefined) printStatus(line)
      const listening = portLine(event)
      if (listening !== null) printStatus(`  ${listening}`)
    },
    finish(report) {
      // A file or a program gets the exact answer. A terminal would obey control characters in it.
      if (report.answer)
        process.stdout.write(`${process.stdout.isTTY ? escapeControls(report.answer) : report.answer}\n`)
      printStatus(summary(report))
    },
  }
}

function lineFor(event: ProjectEvent): string | undefined {
  switch (event.type) {
    case 'tool.started':
      return `  ${event.name} ${cut(JSON.stringify(event.input))}`
    case 'tool.finished':
      return event.result.outcome === 'ok'
        ? undefined
        : `  ${event.name}: ${event.result.outcome}: ${cut(firstText(event.result.content))}`
    case 'interrupt.raised':
      return event.interrupt.action_requests
        .map(
          ({ callId, name, args, changedBefore = [], scripts = [], environment }) =>
            `Needs a decision: ${name} ${JSON.stringify(args)} by ${event.interrupt.agent} [callId ${callId}]${oddText(args)}${filesText('the same reply changes before it', changedBefore)}${filesText('it uses changed files', scripts)}${environment === undefined ? '' : `\n  Environment: ${environment}`}`,
        )
        .join('\n')
    case 'model.retrying':
      return `  ${event.reason} Trying again in ${Math.ceil(event.delayMs / 1000)} s.`
    case 'branch.forked':
      return event.parentId === null ? undefined : `  started ${event.name} (${event.handle})`
    case 'process.started':
    case 'process.ended':
      return `  ${cut(processLine(event))}`
    case 'setup.changed':
      return setupLine(event.setup)
    case 'run.unstored':
      return `  stopped: ${event.message}`
    case 'run.ended':
      return event.status === 'failed' ? `  failed: ${event.message}` : undefined
    default:
      return undefined
  }
}

/** Of a setup that runs, only the start and the end get a line. */
function setupLine(setup: Extract<ProjectEvent, { type: 'setup.changed' }>['setup']): string | undefined {
  switch (setup.kind) {
    case 'running':
      return setup.lines.length > 0 ? undefined : `  setting up: ${cut(setup.command)}`
    case 'ready':
      return `  set up in ${(setup.durationMs / 1000).toFixed(1)} s, ${Math.ceil(setup.bytes / 1e6)} MB${setup.droppedCount > 0 ? `; changes of ${setup.droppedCount} files that no .gitignore names were dropped: ${setup.dropped.map(shownName).join(', ')}` : ''}`
    case 'failed':
      return `  setup failed, so commands run without it: ${setup.reason}\n${setup.lines.map((line) => `    ${line}`).join('\n')}`
    default:
      return undefined
  }
}

/** What in the arguments is not what it looks like. Every kind of request counts, because a terminal shows them alike. */
function oddText(args: JsonObject): string {
  const texts = Object.values(args).filter((value) => typeof value === 'string')
  const reasons = new Set(texts.flatMap((text) => findOddCharacters(text).map(({ reason }) => reason)))
  return reasons.size === 0 ? '' : `\n  not what it looks like: ${[...reasons].slice(0, 10).join(', ')}`
}

function filesText(title: string, paths: readonly string[]): string {
  return paths.length === 0 ? '' : `\n  ${title}: ${paths.map(shownName).join(', ')}`
}

function firstText(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.find(({ type }) => type === 'text')?.text ?? ''
}

function cut(text: string): string {
  const line = text.replaceAll('\n', '⏎')
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

function summary(report: RunReport | RefusedReport): string {
  const { written, deleted, renamed } = report.changes
  const changes = `${written.length} written, ${deleted.length} deleted, ${renamed.length} renamed`
  const tokens =
    report.usage.inputTokens + report.usage.cacheReadTokens + report.usage.cacheWriteTokens + report.usage.outputTokens
  const cost = report.usage.cost === null ? '' : `, $${report.usage.cost.toFixed(2)}`
  const reason = report.message ? ` (${report.message})` : ''
  const next = report.status === 'interrupted' ? `\nGo on with: coppice resume ${report.threadId} --decisions FILE` : ''
  return `${report.status}${reason} · thread ${report.threadId} · ${changes} · ${tokens} tokens${cost}${next}`
}
