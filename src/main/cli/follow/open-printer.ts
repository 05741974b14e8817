import { countChangedLines } from '#host/headless/run-facts.ts'
import { type ApproveMode, keepsOf } from '#host/headless/run-task.ts'
import type { Project } from '#host/project/project.ts'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import { numberAgents } from '#shared/model/derived/agent-hues.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { allowedDecisions } from '#shared/tools/card.ts'
import type { CommandLine } from '../arguments.ts'
import { readScreen } from '../screen/screen.ts'
import { terminal } from '../screen/terminal.ts'
import { createLivePrinter, type LivePrinter } from './live-printer.ts'
import { createJsonPrinter, createPlainPrinter, type Outputs, type Printer } from './printer.ts'

/** The thread that a run is about, once it has one. */
export interface RunPlace {
  threadId: ThreadId | null
}

/** The printer that fits the flags and what standard error is. `live` is the same one where it draws rows. */
export function openPrinter(
  line: CommandLine,
  project: Project,
  place: RunPlace,
  { asksHere, approve }: { readonly asksHere: boolean; readonly approve: ApproveMode },
): { readonly printer: Printer; readonly live: LivePrinter | null } {
  if (line.flag('json')) return { printer: createJsonPrinter(), live: null }
  const { output, errors, environment } = terminal()
  const screen = readScreen(errors, environment)
  const outputs: Outputs = { answer: output, status: errors, screen }
  const { log } = project.services
  const root = (): ThreadId | null => (place.threadId === null ? null : (log.rootOf(place.threadId) ?? null))
  const family = () => project.family(root() ?? ('' as ThreadId))
  const options = {
    state: () => log.state,
    isVerbose: line.flag('verbose'),
    isQuiet: line.flag('quiet'),
    namesWaiting: (interrupt: Interrupt, request: ActionRequest) =>
      !asksHere && !isAnswered(approve, interrupt, request),
    countLines: (entry: Parameters<typeof countChangedLines>[1]) => countChangedLines(project, entry).catch(() => null),
    hueOf: (agent: string) => numberAgents(family()).get(agent) ?? null,
    names: () => family().map(({ agent }) => agent),
  }
  if (!screen.isLive) return { printer: createPlainPrinter(outputs, options), live: null }
  const live = createLivePrinter(outputs, {
    ...options,
    root,
    contextWindow: followContextWindow(project, root),
    now: () => project.services.clock.now(),
  })
  return { printer: live, live }
}

/** Whether `--approve` answers a call. */
function isAnswered(approve: ApproveMode, interrupt: Interrupt, request: ActionRequest): boolean {
  const allowed = allowedDecisions(interrupt, request)
  if (approve === 'ask') return false
  return allowed.includes(keepsOf(approve, request) ? 'approve' : 'reject')
}

/** The context window of the main agent's model, as soon as it is known. */
function followContextWindow({ services, family }: Project, root: () => ThreadId | null): () => number | null {
  const known = new Map<string, number | null>()
  return () => {
    const model = family(root() ?? ('' as ThreadId))[0]?.model
    if (model === undefined) return null
    if (!known.has(model)) {
      known.set(model, null)
      services.contextWindow(model).then(
        (tokens) => known.set(model, tokens),
        () => undefined,
      )
    }
    return known.get(model) ?? null
  }
}
