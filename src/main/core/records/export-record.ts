import type { Entry } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ProjectServices } from '../agent/types/services.ts'
import { toBase64 } from '../tools/files/image-info.ts'
import { followThread } from './follow-thread.ts'
import { type LineOf, type RecordHeader, type RecordLine, recordVersion } from './record-format.ts'
import { settingsToRecord } from './recorded-settings.ts'
import { redactLine } from './redact-record.ts'

type Services = Pick<ProjectServices, 'log' | 'hashing' | 'scratch' | 'prefixes' | 'settings' | 'clock'>

/** What the header of a record says beside the thread. */
export interface HeaderFacts extends Pick<RecordHeader, 'app' | 'contextWindow' | 'commit' | 'trusted' | 'folders'> {
  readonly withSecrets: boolean
}

/** The header for a thread as it began, with the settings as they are now: the journal does not hold earlier ones. */
export function recordHeader(services: Services, threadId: ThreadId, facts: HeaderFacts): RecordHeader {
  const { log, settings, clock } = services
  const created = log.entries(['thread.created']).find((entry) => entry.threadId === threadId)
  if (created?.type !== 'thread.created') throw new Error(`No thread ${threadId}`)
  const { title, model, agentType, approvalMode, answerSchema } = created
  const { withSecrets, app, contextWindow, commit, trusted, folders = [] } = facts
  const header: RecordHeader = {
    ...{ kind: 'record', version: recordVersion, app, madeAt: new Date(clock.now()).toISOString() },
    ...{ title, model, contextWindow, agentType, approvalMode, ...(answerSchema && { answerSchema }) },
    ...{
      settings: settingsToRecord(settings()),
      commit,
      trusted,
      ...(folders.length > 0 && { folders }),
      secrets: withSecrets ? 'kept' : 'replaced',
    },
  }
  return withSecrets ? header : redactLine(header)
}

/** Makes the lines of a thread that is stored, and those of what happens next. */
export interface LineMaker {
  /** The lines of all entries so far. Call once, before `next`. */
  stored(): readonly RecordLine[]
  /** The lines of one more entry. */
  next(entry: Entry): readonly RecordLine[]
  /** The number of lines so far in which texts were replaced. */
  replaced(): number
}

/** Entries that are read at once. */
const pageSize = 4_096

/** Replaces what looks like a secret unless asked not to. */
export function createLineMaker(services: Services, threadId: ThreadId, withSecrets: boolean): LineMaker {
  const follower = followThread(threadId, services.hashing)
  const inputs = new Set<string>()
  let replaced = 0
  const prepare = (line: RecordLine): RecordLine => {
    if (withSecrets) return line
    const safe = redactLine(line)
    if (JSON.stringify(safe) !== JSON.stringify(line)) replaced += 1
    return safe
  }
  const next: LineMaker['next'] = (entry) =>
    follower.take(entry).flatMap((line) => {
      const given = line.kind === 'message' ? newInputs(services, threadId, inputs) : []
      return [...given, line].map(prepare)
    })
  return {
    stored: () => [...services.log.pages(pageSize)].flatMap((entries) => entries.flatMap(next)),
    next,
    replaced: () => replaced,
  }
}

/** Files that a person gave with a message. */
function newInputs(
  { scratch, prefixes }: Services,
  threadId: ThreadId,
  known: Set<string>,
): readonly LineOf<'input'>[] {
  const folder = prefixes['/inputs/']
  const fresh = scratch.list(threadId).filter(({ name }) => name.startsWith(folder) && !known.has(name))
  return fresh.flatMap(({ name }) => {
    known.add(name)
    const bytes = scratch.read(threadId, name)
    const path = name.slice(folder.length)
    return bytes ? [{ kind: 'input', agent: 'main', path, data: toBase64(bytes) } as const] : []
  })
}
