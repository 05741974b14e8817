import { Check, CircleHelp } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import type { CompositionRow } from '#shared/contract/views/compositions.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { composeStrings as labels } from '../../strings/composing/compose.ts'
import { PathText } from '../../ui/controls/path-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { choiceFor, type Draft } from './composition-draft.ts'

interface FileRowsProps {
  readonly rows: readonly CompositionRow[]
  readonly draft: Draft
  readonly shown: VirtualPath | null
  readonly onShow: (path: VirtualPath) => void
}

/** All files of a composition with their state. Arrow keys go through them. */
export function FileRows({ rows, draft, shown, onShow }: FileRowsProps): ReactNode {
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = rows.findIndex(({ path }) => path === shown)
    const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)]
    if (!next) return
    onShow(next.path)
    event.currentTarget.querySelector<HTMLElement>(`[data-path="${CSS.escape(next.path)}"]`)?.focus()
  }
  return (
    <ul aria-label={labels.files} onKeyDown={onKeyDown} className="min-h-0 overflow-auto">
      {rows.map((row) => {
        const isDecided = choiceFor(row, draft.get(row.path)) !== null
        const state = isDecided ? labels.fileState.decided : labels.fileState.undecided
        const Icon = isDecided ? Check : CircleHelp
        return (
          <li key={row.path}>
            <button
              type="button"
              data-path={row.path}
              aria-current={row.path === shown}
              onClick={() => onShow(row.path)}
              className={classNames(
                'flex h-8 w-full items-center gap-2 px-3 text-left font-mono text-xs hover:bg-hover',
                row.path === shown && 'bg-accent-soft',
                !isDecided && 'compose-undecided',
              )}
            >
              <PathText path={row.path} className="flex-1" />
              <Icon size={13} aria-hidden className={isDecided ? 'text-good' : 'text-warn'} />
              <span className="sr-only">{state}</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
