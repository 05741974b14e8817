import { defineError } from '#shared/base/define-error.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { Sequence } from '#shared/model/ids.ts'
import type { ProjectServices } from '../agent/types/services.ts'
import type { LogWriter } from '../journal/project-log.ts'

/**
 * A person's command is decided here and stored in one place. Every function of this folder reads the project and
 * returns what to write, or why not; only `executeCommand` stores it. So a command can be tested without a store, and
 * the log alone guards against changes made meanwhile.
 */
export type CommandProject = Pick<
  ProjectServices,
  'log' | 'base' | 'blobs' | 'hashing' | 'textMerge' | 'clock' | 'ids' | 'prefixes' | 'scratch' | 'userMemories'
>

/**
 * A command that cannot be carried out. The message says why, and what a person can do next. `not_found`: something that
 * it names does not exist (any more). `invalid`: it makes no sense. `refused`: it is not allowed here. `conflict`:
 * something changed meanwhile or prevents it.
 */
export const CommandError = defineError<'not_found' | 'invalid' | 'refused' | 'conflict'>('CommandError')
export type CommandError = InstanceType<typeof CommandError>

/** The decision of a command: entries that are stored together or not at all, and an answer for the caller. */
export interface Write<Answer = undefined> {
  /** Empty when there is nothing to do. */
  readonly entries: readonly EntryDraft[]
  /** Returned to the caller once the entries are stored. */
  readonly answer: Answer
  /** Message for a person when a branch changed while the command was decided, so nothing was stored. */
  readonly movedOn: string
}

export type Decided<Answer = undefined> = Result<Write<Answer>, CommandError>

/** A write that was stored. */
export interface Stored<Answer> {
  /** The first stored entry, which an undo names; null when nothing was stored. */
  readonly sequence: Sequence | null
  /** One for each entry, in order; empty when nothing was stored. */
  readonly sequences: readonly Sequence[]
  /** Computed before the entries were stored. */
  readonly answer: Answer
}

const filesMovedOn = 'These files changed while this was prepared. Look at them and try again.'

export function write(entries: readonly EntryDraft[], movedOn?: string): Decided
export function write<Answer>(entries: readonly EntryDraft[], movedOn: string, answer: Answer): Decided<Answer>
export function write(entries: readonly EntryDraft[], movedOn = filesMovedOn, answer?: unknown): Decided<unknown> {
  return success({ entries, answer, movedOn })
}

export function refuse(code: CommandError['code'], message: string): Result<never, CommandError> {
  return failure(new CommandError(code, message))
}

/**
 * Stores what a command decided.
 *
 * @throws CommandError when it was refused, or when a branch moved on meanwhile (`conflict`)
 */
export function executeCommand<Answer>(log: LogWriter, decided: Decided<Answer>): Stored<Answer> {
  const { entries, answer, movedOn } = unwrap(decided)
  if (!isNonEmpty(entries)) return { sequence: null, sequences: [], answer }
  const stored = log.commit(entries)
  if (!stored.ok) throw new CommandError('conflict', movedOn)
  return { sequence: stored.value[0].sequence, sequences: stored.value.map(({ sequence }) => sequence), answer }
}

/** @throws CommandError the refusal */
export function unwrap<Value>(result: Result<Value, CommandError>): Value {
  if (!result.ok) throw result.error
  return result.value
}
