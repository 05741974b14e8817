import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import { commitUnits, type DeliveryRecord } from '../model/delivery.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { branch, virtualPath } from './primitives.ts'
import type {
  DeliveryPlans,
  DeliveryReceipt,
  HooksRun,
  ProgramEvent,
  ProposedMessages,
  Published,
} from './views/deliveries.ts'

const commitId = z
  .string()
  .max(64)
  .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
const revision = z.string().min(1).max(500)

/** What a person asks for when the changes of a workspace are to become commits. */
const wanted = branch.extend({
  /** The branch of git: a new one, or one that is not checked out. */
  to: z.string().min(1).max(250),
  /** What to stand on. Null for the branch itself, or the commit with which the work began. */
  base: revision.nullable(),
  per: z.enum(commitUnits),
  /** Whether what is only in the person's folder goes along, where agents built on it. */
  uncommitted: z.enum(['include', 'leave']),
  /** Files that both sides changed. */
  keep: z.array(z.object({ path: virtualPath, side: z.enum(['ours', 'theirs']) })).max(100_000),
})

const messages = z.array(z.string().max(100_000)).max(10_000)
const hooksRun = z.string().min(1).max(100)

/** What a person may do with the changes of a workspace and a repository of git. */
export const deliveryCommands = {
  plan: oc.input(wanted).output(type<DeliveryPlans>()),
  /** Asks the thread's model, or the one for summaries, for messages of the planned commits. Only what it cost is stored. */
  propose: oc.input(wanted).output(type<ProposedMessages>()),
  /**
   * Runs the hooks that would run before such commits, in the sandbox, and streams their output. What they change counts when it is
   * taken. Closing the stream ends them.
   */
  runHooks: oc.input(wanted.extend({ messages })).output(eventIterator(type<ProgramEvent<HooksRun>>())),
  /** Makes what hooks changed a change of the branch. `left` are paths that the branch has changed since, which stay as they are. */
  takeHooks: oc
    .input(branch.extend({ run: hooksRun }))
    .output(type<{ readonly sequence: number | null; readonly left: readonly VirtualPath[] }>()),
  /**
   * Makes the commits and moves the branch. `messages` take the place of those of the plan, in order. `expected` are the tips
   * that the person saw, one for each plan: when a branch moved since, the command fails as `CONFLICT`. With `hooks` it makes exactly
   * what that run of hooks let pass, with their messages, and fails as `CONFLICT` when that is not what would be made now.
   */
  make: oc
    .input(
      wanted.extend({
        messages,
        /** Null for none. */
        hooks: hooksRun.nullable().default(null),
        /** Null for as the person's settings say. */
        sign: z.boolean().nullable(),
        expected: z
          .array(z.object({ repository: z.string().max(10_000), tip: commitId.nullable() }))
          .max(1000)
          .optional(),
      }),
    )
    .output(type<readonly DeliveryReceipt[]>()),
  /** Delivers commits that agents made, as they are: `commit` and all that it needs. */
  makeFromAgents: oc
    .input(branch.extend({ to: z.string().min(1).max(250), commit: commitId }))
    .output(type<DeliveryReceipt>()),
  /** Moves the branch back, or removes it, if nobody moved it since. */
  undo: oc.input(branch.extend({ sequence: z.int().positive() })).output(type<void>()),
  list: oc.input(branch).output(type<readonly DeliveryRecord[]>()),
  /**
   * Runs the person's own `git push`, and `gh` or `glab` for a pull request, and streams what they print. Closing the stream ends
   * them.
   */
  publish: oc
    .input(
      branch.extend({
        sequence: z.int().positive(),
        /** Null for the usual one. */
        remote: z.string().min(1).max(1000).nullable(),
        pullRequest: z
          .object({
            title: z.string().min(1).max(1000),
            body: z.string().max(100_000),
            draft: z.boolean(),
            base: z.string().max(250).nullable(),
          })
          .nullable(),
      }),
    )
    .output(eventIterator(type<ProgramEvent<Published>>())),
}
