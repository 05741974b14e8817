import { grantableHost } from '../base/host-names.ts'
import type { ActionRequest, Decision } from '../model/interrupt.ts'
import type { CallEffects } from '../model/outcome.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { approval, type Draft } from './approval-choices.ts'
import { accessOf, findToolFacts } from './tool-facts.ts'
import { firstLine } from './tool-labels.ts'

/** A request whose call ran in the sandbox already. Its effects wait for a person. */
export type HeldRequest = ActionRequest & { readonly effects: CallEffects }

export function isHeld(request: ActionRequest): request is HeldRequest {
  return request.effects !== undefined
}

/** A call in one line: the first line of its command, or its name. */
export function commandLine({ name, args }: Pick<ActionRequest, 'name' | 'args'>): string {
  return firstLine(accessOf(findToolFacts(name).access, args).command ?? '') || name
}

/** A file that a held call changed, as a person chooses it. */
export interface HeldFile {
  readonly path: VirtualPath
  /** Where a renamed file was before; null for other changes. */
  readonly from: VirtualPath | null
  readonly kind: 'written' | 'deleted' | 'renamed'
}

/** The files that a held call changed, by path. */
export function heldFiles({ changes: { written, deleted, renamed } }: CallEffects): readonly HeldFile[] {
  const moved = new Set(renamed.flatMap(({ from, to }) => [from, to]))
  const alone = (kind: 'written' | 'deleted', paths: readonly VirtualPath[]): readonly HeldFile[] =>
    paths.filter((path) => !moved.has(path)).map((path) => ({ path, from: null, kind }))
  const files: readonly HeldFile[] = [
    ...alone('written', written),
    ...alone('deleted', deleted),
    ...renamed.map(({ from, to }) => ({ path: to, from, kind: 'renamed' as const })),
  ]
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** The hosts that the sandbox refused and that a person can grant. */
export function grantableHosts({ hosts_refused: refused }: CallEffects): readonly string[] {
  return [...new Set(refused)].filter((host) => grantableHost.test(host))
}

interface HeldAnswer {
  readonly granted?: readonly string[]
  readonly message?: string
  /** The files that are kept; null for all of them. */
  readonly kept?: readonly string[] | null
}

/**
 * The decision on a held call as a person sees it: it is kept, in whole or in part, or it runs again, as edited and with
 * the granted hosts, and its effects are shown again. Null if the edit is not valid or no file is left to keep.
 */
export function heldDecision(
  request: HeldRequest,
  draft: Draft | null,
  { granted = [], message = '', kept = null }: HeldAnswer = {},
): Decision | null {
  const decision = approval(request, draft, { granted, message })
  if (decision?.type === 'edit') return { ...decision, hold: true }
  if (decision?.type !== 'approve') return decision
  if (draft !== null || granted.length > 0) return { ...decision, type: 'edit', args: request.args, hold: true }
  const files = heldFiles(request.effects)
  const chosen = kept === null ? files : files.filter(({ path }) => kept.includes(path))
  if (chosen.length === files.length) return decision
  if (chosen.length === 0) return null
  return { ...decision, paths: chosen.flatMap(({ path, from }) => (from === null ? [path] : [from, path])) }
}
