import {
  addressOf,
  type ProgramWatch,
  type PullRequest,
  pullRequestLine,
  pushBranch,
  remotesOf,
  runInstalled,
  usualRemote,
} from '#adapters/git/push-branch.ts'
import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap, write } from '#core/commands/command.ts'
import { findDeliveries } from '#core/delivery/find-deliveries.ts'
import { DeliveryError } from '#core/ports/git-delivery.ts'
import type { Published } from '#shared/contract/views/deliveries.ts'
import type { DeliveryRecord } from '#shared/model/delivery.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { shellWord } from '#shared/text/control-characters.ts'
import type { Project } from '../project/project.ts'

export interface PublishOptions {
  readonly branchId: BranchId
  /** The delivery. */
  readonly sequence: Sequence
  /** Null for the usual one. */
  readonly remote: string | null
  /** Null for none. */
  readonly pullRequest: PullRequest | null
}

/**
 * Pushes a delivered branch with the person's own git, and opens a pull request with their own `gh` or `glab`. What fails is told
 * with the command that does it by hand; the delivery itself stays. Throws `DeliveryError` for no such delivery, before anything runs.
 */
export function openPublishing(
  project: Project,
  options: PublishOptions,
): (onOutput: (text: string) => void, signal: AbortSignal) => Promise<Published> {
  const { services } = project
  const { threadId } = unwrap(findApplyTarget(services.log, options.branchId))
  const found = findDeliveries(services.log, threadId).find((one) => one.sequence === options.sequence)
  if (!found || found.undone) throw new DeliveryError('not_found', 'There is no delivery of this number to push.')
  return (onOutput, signal) => publish(project, { ...found, threadId }, options, { onOutput, signal })
}

async function publish(
  { gitDelivery, change }: Project,
  { repository, branch, threadId }: DeliveryRecord & { readonly threadId: ThreadId },
  options: PublishOptions,
  watch: ProgramWatch,
): Promise<Published> {
  const { sequence, pullRequest } = options
  const { top } = gitDelivery.find(repository)
  const remote = options.remote ?? (await usualRemote(top, branch))
  if (remote === null) return { remote: '', output: '', problem: noRemote(await remotesOf(top)), pullRequest: null }
  const pushed = await pushBranch({ top, branch, remote }, watch)
  if (pushed.code !== 0)
    return failed(
      { remote, output: pushed.output },
      watch.signal?.aborted ? 'The push was stopped' : 'The push failed',
      [...['git', 'push', remote, branch]],
    )
  const stored = { type: 'delivery.published', threadId, of: sequence, remote: withoutLogin(remote) } as const
  const store = (address: string | null) => change(write([{ ...stored, pullRequest: address }]))
  if (pullRequest === null) {
    store(null)
    return { remote, output: pushed.output, problem: null, pullRequest: null }
  }
  const line = pullRequestLine(await addressOf(top, remote), branch, pullRequest)
  const opened = await runInstalled(line, top, watch)
  const output = pushed.output + (opened?.output ?? '')
  const address = /https?:\/\/\S+/.exec(opened?.answer ?? '')?.[0] ?? null
  store(opened?.code === 0 ? address : null)
  if (opened === null)
    return failed(
      { remote, output },
      `The branch is pushed. ${line[0]} is not installed, so there is no pull request yet`,
      line,
    )
  if (opened.code !== 0)
    return failed(
      { remote, output },
      `The branch is pushed. ${line[0]} ${watch.signal?.aborted ? 'was stopped' : 'opened no pull request'}`,
      line,
    )
  return { remote, output, problem: null, pullRequest: address }
}

/** A remote may be typed as an address with a login, which the journal must not keep. */
function withoutLogin(remote: string): string {
  return remote.replace(/^(https?:\/\/)[^/@]*@/i, '$1')
}

function noRemote(names: readonly string[]): string {
  if (names.length === 0)
    return 'The repository has no remote. Add one with: git remote add origin ADDRESS; then push again.'
  return `The repository has several remotes: ${names.join(', ')}. Name one after the thread, or say which is the usual one with: git config remote.pushDefault NAME; then push again.`
}

function failed(
  { remote, output }: Pick<Published, 'remote' | 'output'>,
  what: string,
  line: readonly string[],
): Published {
  const command = line.map(shellWord).join(' ')
  return { remote, output, problem: `${what}. By hand: ${command}`, pullRequest: null }
}
