import { type CallEffects, mostEffectText, type Outcome } from '#shared/model/calls/outcome.ts'
import type { ToolResult, UserPart } from '#shared/model/message.ts'
import { patchTree, type Tree } from '../../overlay/tree.ts'
import { findSecrets } from '../../secrets/secrets.ts'
import type { BranchState } from './call-context.ts'

/** What a call did aside, for the card, for rules and for scripts. `tree` is what it ran on. */
export async function showEffects(
  { branch }: { readonly branch: Pick<BranchState, 'blobs' | 'changesBetween'> },
  outcome: Outcome,
  tree: Tree,
): Promise<CallEffects> {
  const text = resultIn(branch, outcome).content.map(textOfPart).join('\n')
  const output = cutMiddle(text)
  const secrets = findSecrets(output)
  const hidesSecrets = output !== text && findSecrets(text).length > secrets.length
  const changes = await branch.changesBetween(tree, patchTree(tree, outcome.patch))
  const beside = outcome.places.map(({ path, blob }) => ({ path, isGone: blob === null }))
  return {
    exit_code: outcome.exitCode,
    output,
    changes: {
      written: [
        ...changes.filter(({ after, renamedFrom }) => after && !renamedFrom).map(({ path }) => path),
        ...beside.filter(({ isGone }) => !isGone).map(({ path }) => path),
      ],
      deleted: [
        ...changes.filter(({ after }) => !after).map(({ path }) => path),
        ...beside.filter(({ isGone }) => isGone).map(({ path }) => path),
      ],
      renamed: changes.flatMap(({ path, renamedFrom }) => (renamedFrom ? [{ from: renamedFrom, to: path }] : [])),
    },
    hosts_refused: outcome.refusedHosts,
    duration_ms: outcome.durationMs,
    ignored_changes: outcome.ignoredChanges,
    secrets,
    ...(hidesSecrets && { hidden_secrets: true }),
    ...(outcome.declares.length > 0 && { tasks: outcome.declares.length }),
    ...(outcome.after !== null && { after: outcome.after }),
    ...(outcome.ranAgain !== null && { ran_again: outcome.ranAgain }),
  }
}

/** The result that the model reads when the run is kept. Throws when the store has lost it. */
export function resultIn({ blobs }: Pick<BranchState, 'blobs'>, { result }: Pick<Outcome, 'result'>): ToolResult {
  return JSON.parse(new TextDecoder().decode(blobs.get(result))) as ToolResult
}

function textOfPart(part: UserPart): string {
  return part.type === 'text' ? part.text : `[${part.type}]`
}

function cutMiddle(text: string): string {
  if (text.length <= mostEffectText) return text
  const half = mostEffectText / 2
  return `${text.slice(0, half)}\n… ${text.length - mostEffectText} characters are not shown …\n${text.slice(-half)}`
}
