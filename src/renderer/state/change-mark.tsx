import type { ReactNode } from 'react'
import type { ChangeKind } from '#shared/model/branch.ts'
import { strings } from './strings.ts'

export const changeInk: Record<ChangeKind, string> = {
  create: 'text-good',
  modify: 'text-warn',
  delete: 'text-bad',
  rename: 'text-accent',
  mode: 'text-muted',
  symlink: 'text-muted',
}

/** What happened to a file as one letter; the word is its tooltip, and what is read aloud. */
export function ChangeMark({ kind }: { kind: ChangeKind }): ReactNode {
  const word = strings.common.change[kind]
  return (
    <span title={word} className={`shrink-0 font-mono text-xs ${changeInk[kind]}`}>
      <span aria-hidden>{strings.common.changeLetter[kind]}</span>
      <span className="sr-only">{word}</span>
    </span>
  )
}
