import type { CSSProperties, ReactNode } from 'react'
import { useApp } from '../../state/hooks/hooks.tsx'
import { hueOf } from '../../state/store/agent-hues.ts'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

/** An agent's initial in its own colour. The name stands beside it, so screen readers skip it. */
export function AgentMark({ name }: { name: string }): ReactNode {
  const hue = useApp((state) => hueOf(state, name))
  return (
    <span
      aria-hidden
      style={agentStyle(hue)}
      className="inline-flex size-4 shrink-0 select-none items-center justify-center rounded-sm bg-[color-mix(in_oklab,var(--agent)_16%,transparent)] font-semibold text-(--agent) text-[10px] leading-none"
    >
      {initialOf(name)}
    </span>
  )
}

/** Gives elements below the colour of an agent as `--agent`. Null is for the person and the main agent. */
export function agentStyle(hue: number | null): CSSProperties {
  return { '--agent': hue === null ? 'var(--muted)' : `var(--agent-${hue})` } as CSSProperties
}

function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '·').toUpperCase()
}

/** The agent or person who changed a file last. An empty name shows nothing. */
export function AuthorMark({ name }: { name: string }): ReactNode {
  if (name === '') return null
  return (
    <span
      title={strings.common.lastChangedBy(name)}
      className="flex min-w-0 max-w-36 items-center gap-1 text-muted text-xs"
    >
      <AgentMark name={name} />
      <span className="sr-only">{strings.common.lastChangedBy('')}</span>
      <span className="truncate">
        <VisibleText text={name} />
      </span>
    </span>
  )
}
