import type { ReplaySource } from '#core/records/recorded-model.ts'
import { type Replay, type ReplayResult, replayThread } from '#core/records/replay-thread.ts'
import { isLive } from '#shared/model/event.ts'
import type { RunReport } from '../headless/run-report.ts'
import type { Project } from '../project/project.ts'

/** What a replay found, for frontends. */
export type Replayed = ReplayResult

/**
 * Begins a recorded thread again, in a project that was opened for its replay. `approves`: whether recorded approvals are
 * given.
 */
export function beginReplay(
  project: Project,
  { record, model }: ReplaySource,
  { approves }: { readonly approves: boolean },
): Replay {
  const { services, runtime, run, events } = project
  const listen: Parameters<typeof replayThread>[0]['listen'] = (listener) =>
    events.listen((event) => {
      if (!isLive(event)) listener(event)
    })
  return replayThread({ services, runtime, run, listen, approves }, record, model)
}

/** What a person should know before a replay: how the record differs from this project. */
export function replayNotes(project: Project, { record }: ReplaySource, commit: string | null): readonly string[] {
  const { header, lines } = record
  const isOther = header.commit !== null && commit !== null && header.commit !== commit
  return [
    ...(isOther
      ? [`Recorded at commit ${header.commit?.slice(0, 12)}. The folder is at ${commit?.slice(0, 12)}.`]
      : []),
    ...(header.trusted && !project.info().trusted
      ? ['Recorded in a trusted folder, with its instructions, agents and servers. Use --trust to load them.']
      : []),
    ...hostNotes(lines),
    ...(lines.some(({ kind }) => kind === 'end')
      ? []
      : ['The record was cut off before its run ended. Only what it holds is compared.']),
    ...(lines.some((line) => JSON.stringify(line).includes('[redacted]'))
      ? ['Texts that look like secrets were replaced in this record, so that trees may be others.']
      : []),
  ]
}

/** Hosts that people granted then. A replay grants none by itself. */
function hostNotes(lines: ReplaySource['record']['lines']): readonly string[] {
  const granted = lines.flatMap((line) =>
    line.kind === 'decision' && 'hosts' in line.decision ? (line.decision.hosts ?? []) : [],
  )
  const hosts = [...new Set(granted)]
  if (hosts.length === 0) return []
  return [
    `Commands could reach ${hosts.join(', ')} then. Let them again with: ${hosts.map((host) => `--allow-host ${host}`).join(' ')}`,
  ]
}

/** The report of a replay. A run that is not as recorded has failed, whatever its agents say. */
export function withReplay(report: RunReport, { steps, agents, difference }: ReplayResult): RunReport {
  const replay = { same: difference === undefined, steps, agents, ...(difference && { difference }) }
  if (!difference) return { ...report, replay }
  return { ...report, status: 'failed', reason: 'replay', message: difference.message, replay }
}
