import type { ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import { visibleText } from './split-visible.ts'
import { VisibleText } from './visible-text.tsx'

/** The number of last characters of a path that are always shown. */
const keptAtMost = 20

interface PathTextProps {
  readonly path: string
  /** A shorter text to show in place of the whole path. */
  readonly shown?: string
  readonly className?: string
}

/**
 * A path. In a narrow place its middle is cut, because its end tells most. Screen readers read the whole path. Invisible
 * characters are marked; such a path is cut at its end.
 */
export function PathText({ path, shown = path, className }: PathTextProps): ReactNode {
  const visible = visibleText(path)
  const characters = [...visibleText(shown)]
  const cut = Math.max(characters.length - keptAtMost, 0)
  if (visible !== path) {
    return (
      <span title={visible} className={classNames('min-w-0 truncate font-mono text-xs', className)}>
        <VisibleText text={shown} />
      </span>
    )
  }
  return (
    <span title={visible} className={classNames('relative min-w-0 font-mono text-xs', className)}>
      {/* Above the visible text, so that a click on the path and a search in the page find the whole path. */}
      <span className="absolute inset-0 overflow-hidden opacity-0">{visible}</span>
      <span aria-hidden className="flex whitespace-pre">
        {cut > 0 && <span className="truncate">{characters.slice(0, cut).join('')}</span>}
        <span className="max-w-full shrink-0 truncate">{characters.slice(cut).join('')}</span>
      </span>
    </span>
  )
}
