import type { ThreadId } from '#shared/model/ids.ts'
import type { ProjectServices } from '../agent/types/services.ts'
import { redact } from '../secrets/secrets.ts'
import { toBase64 } from '../tools/files/image-info.ts'
import { followThread, type ThreadFollower } from './follow-thread.ts'
import type { LineOf, RecordLine } from './record-format.ts'
import { redactLine } from './redact-record.ts'

type Services = Pick<ProjectServices, 'log' | 'hashing' | 'scratch' | 'prefixes'>

/** The lines of a stored thread. Replaces what looks like a secret unless asked not to. */
export function recordedLines(services: Services, threadId: ThreadId, withSecrets: boolean): readonly RecordLine[] {
  return createLineMaker(services, threadId, withSecrets).stored()
}

/** Makes the lines of a thread that is stored, and those of what happens next. */
export interface LineMaker {
  /** The lines of all entries so far. Call once, before `next`. */
  stored(): readonly RecordLine[]
  /** The lines of one more entry. */
  next(entry: Parameters<ThreadFollower['take']>[0]): readonly RecordLine[]
}

/** Entries that are read at once. */
const pageSize = 4_096

export function createLineMaker(services: Services, threadId: ThreadId, withSecrets: boolean): LineMaker {
  const follower = followThread(threadId, services.hashing)
  const inputs = new Set<string>()
  const prepare = <Line extends RecordLine>(line: Line): Line => (withSecrets ? line : redactLine(line))
  const next: LineMaker['next'] = (entry) =>
    follower.take(entry).flatMap((line) => {
      const given = line.kind === 'message' ? newInputs(services, threadId, inputs, withSecrets) : []
      return [...given, prepare(line)]
    })
  return {
    stored: () => [...services.log.pages(pageSize)].flatMap((entries) => entries.flatMap(next)),
    next,
  }
}

/** Files that a person gave with a message. */
function newInputs(
  { scratch, prefixes }: Services,
  threadId: ThreadId,
  known: Set<string>,
  withSecrets: boolean,
): readonly LineOf<'input'>[] {
  const folder = prefixes['/inputs/']
  const fresh = scratch.list(threadId).filter(({ name }) => name.startsWith(folder) && !known.has(name))
  return fresh.flatMap(({ name }) => {
    known.add(name)
    const bytes = scratch.read(threadId, name)
    if (!bytes) return []
    const data = toBase64(withSecrets ? bytes : withoutSecrets(bytes))
    return [{ kind: 'input', agent: 'main', path: name.slice(folder.length), data } as const]
  })
}

/** Bytes that are no text stay as they are. */
function withoutSecrets(bytes: Uint8Array): Uint8Array {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const safe = redact(text)
    return safe === text ? bytes : new TextEncoder().encode(safe)
  } catch {
    return bytes
  }
}
