import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createPolicy, type PolicyOptions } from './policy.ts'

/** What an agent may do to files its call does not name: about them nobody is asked, so it is what needs no asking. */
export interface FileAccess {
  /** False when no setting could keep an agent from changing any file, so that folders need not be searched for one. */
  readonly protectsFiles: boolean
  mayRead(path: VirtualPath): boolean
  mayChange(path: VirtualPath): boolean
}

/** Each file is judged as if a call of its own named it. The mode plays no part: the call at work has passed it. */
export function fileAccess(options: PolicyOptions): FileAccess {
  const { rules, interruptOn } = options
  const policy = createPolicy({ ...options, strictestMode: undefined })
  const runs = (tool: string, effect: 'read' | 'overlay', path: VirtualPath): boolean =>
    policy({ tool, effect, args: {}, paths: [path], mode: 'auto' }).kind === 'run'
  return {
    protectsFiles: rules.deny.length + rules.ask.length + interruptOn.size > 0,
    mayRead: (path) => runs('read_file', 'read', path),
    mayChange: (path) => runs('write_file', 'overlay', path),
  }
}
