import { implement, ORPCError } from '@orpc/server'
import { DecisionError } from '#core/agent/calls/decisions.ts'
import { CommandError } from '#core/commands/command.ts'
import { BaseTreeError } from '#core/ports/base-tree.ts'
import { DiskApplyError } from '#core/ports/disk-apply.ts'
import { FileTreeError } from '#core/ports/file-tree.ts'
import { DeliveryError } from '#core/ports/git-delivery.ts'
import { JournalError } from '#core/ports/journal.ts'
import { contract } from '#shared/contract/contract.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { Projects } from '../project/projects.ts'
import type { Caller } from './frontend-window.ts'
import { namedIds } from './named-ids.ts'

/** The base of all command handlers. Refusals become the contract's error codes; bugs are logged and hidden. */
export function contractImplementer(log: (problem: string, error: unknown) => void, projects: Pick<Projects, 'find'>) {
  return implement(contract)
    .$context<Caller>()
    .use(async ({ next, path, procedure }, input) => {
      try {
        loadNamed(projects, procedure['~orpc'].inputSchema, input)
        return await next()
      } catch (error) {
        throw toWire(error, path.join('.'), log)
      }
    })
}

/** Loads the threads and branches that a command names, so that no handler need think of it. */
function loadNamed(projects: Pick<Projects, 'find'>, schema: unknown, input: unknown): void {
  if (typeof input !== 'object' || input === null || !('projectId' in input)) return
  projects.find(input.projectId as ProjectId)?.services.log.load(namedIds(schema, input))
}

export type Implementer = ReturnType<typeof contractImplementer>

/** What the handler of a procedure gets from whoever calls it: `InputOf<Implementer['threads']['send']>`. */
export type InputOf<Procedure extends { readonly handler: (act: never) => unknown }> = Parameters<
  Procedure['handler']
>[0] extends (given: infer Given, ...rest: never[]) => unknown
  ? Given extends { readonly input: infer Input }
    ? Input
    : never
  : never

function toWire(error: unknown, procedure: string, log: (problem: string, error: unknown) => void): unknown {
  if (error instanceof ORPCError) return error
  const known = error instanceof WireError ? error : toWireError(error)
  if (known) return new ORPCError(known.code, { message: known.message, status: 400 })
  if (error instanceof Error && error.name === 'AbortError') return error
  log(`The command ${procedure} failed`, error)
  return new ORPCError('INTERNAL', {
    message: 'Something went wrong inside Coppice. Nothing was lost; the log has the details.',
  })
}

function toWireError(error: unknown): WireError | undefined {
  if (error instanceof DecisionError) {
    const codes = { not_found: 'NOT_FOUND', already_decided: 'ALREADY_DECIDED', invalid: 'BAD_REQUEST' } as const
    return new WireError(codes[error.code], error.message)
  }
  if (error instanceof CommandError) {
    const codes = { not_found: 'NOT_FOUND', invalid: 'BAD_REQUEST', refused: 'REFUSED', conflict: 'CONFLICT' } as const
    return new WireError(codes[error.code], error.message)
  }
  if (error instanceof DeliveryError) {
    const codes = { not_found: 'NOT_FOUND', invalid: 'BAD_REQUEST', refused: 'REFUSED', conflict: 'CONFLICT' } as const
    return new WireError(codes[error.code], error.message)
  }
  if (error instanceof JournalError) return new WireError('NOT_STORED', error.message)
  if (error instanceof DiskApplyError) {
    const codes = { changed: 'CONFLICT', refused: 'CONFLICT', failed: 'UNREADABLE', cancelled: 'CANCELLED' } as const
    return new WireError(codes[error.code], error.message)
  }
  if (error instanceof BaseTreeError || error instanceof FileTreeError) {
    return new WireError(error.code === 'not_found' ? 'NOT_FOUND' : 'REFUSED', error.message)
  }
  return undefined
}
