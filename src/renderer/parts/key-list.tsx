import type { ReactNode } from 'react'
import { formatKeys } from '#shared/text/format.ts'
import { keymap, localKeys } from '../state/preferences/keymap.ts'

/** The list of all shortcuts. */
export function KeyList({ mac }: { mac: boolean }): ReactNode {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
      {[...keymap, ...localKeys].map(({ keys, label }) => (
        <div key={keys} className="contents">
          <dt>
            <kbd className="rounded border border-line bg-panel px-1.5 py-0.5 font-mono text-xs">
              {formatKeys(keys, mac)}
            </kbd>
          </dt>
          <dd>{label}</dd>
        </div>
      ))}
    </dl>
  )
}
