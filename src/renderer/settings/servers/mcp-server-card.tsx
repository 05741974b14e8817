import { CircleAlert, CircleCheck, CircleDashed, LogIn, Pencil, ShieldCheck, ShieldOff, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { McpServerState, McpServerView } from '#shared/contract/views/extensions.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { formatCount } from '#shared/text/format.ts'
import { ServerLogin } from '../../parts/server-login.tsx'
import { mcpStrings } from '../../strings/later/extensions.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'

const labels = mcpStrings

interface McpServerCardProps {
  readonly server: McpServerView
  readonly projectId: ProjectId
  readonly busy: boolean
  /** Called when its login is another one. */
  readonly onChanged: () => void
  /** The commands for one of the user's own servers; null for a server of the project. */
  readonly own: { readonly onEdit: () => void; readonly onRemove: () => void } | null
  readonly onTrust: (server: McpServerView, trusted: boolean) => void
}

/** One server: the exact command or address it would use, its state, and its tools. */
export function McpServerCard({ server, projectId, busy, own, onTrust, onChanged }: McpServerCardProps): ReactNode {
  const { name, source, trusted, state, tools, leftOut, errorOutput } = server
  return (
    <li className="rounded-md border border-line" aria-label={name}>
      <header className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2">
        <h3 className="font-semibold">
          <VisibleText text={name} />
        </h3>
        <span className="text-muted">{labels.source[source]}</span>
        <StateMark state={state} />
        <span className="ml-auto flex gap-1">
          {own && (
            <>
              <IconButton label={labels.editNamed(name)} onClick={own.onEdit}>
                <Pencil size={14} aria-hidden />
              </IconButton>
              <IconButton label={labels.removeNamed(name)} disabled={busy} onClick={own.onRemove}>
                <Trash2 size={14} aria-hidden />
              </IconButton>
            </>
          )}
        </span>
        <Button
          tone={trusted ? 'plain' : 'primary'}
          disabled={busy}
          aria-label={trusted ? labels.untrustNamed(name) : labels.trustNamed(name)}
          icon={trusted ? <ShieldOff size={14} aria-hidden /> : <ShieldCheck size={14} aria-hidden />}
          onClick={() => onTrust(server, !trusted)}
        >
          {trusted ? labels.untrust : labels.trust}
        </Button>
      </header>
      <div className="flex flex-col gap-2 px-3 py-2">
        <pre className="whitespace-pre-wrap rounded bg-panel p-2 font-mono text-xs [overflow-wrap:anywhere]">
          <VisibleText text={definitionText(server)} />
        </pre>
        {state.kind === 'failed' && (
          <p className="text-bad [overflow-wrap:anywhere]">
            <VisibleText text={state.reason} />
          </p>
        )}
        {state.kind === 'login' && (
          <p className="[overflow-wrap:anywhere]">
            <VisibleText text={state.reason} />
          </p>
        )}
        {trusted && <ServerLogin projectId={projectId} server={server} onChanged={onChanged} />}
        {tools.length > 0 && <ToolList tools={tools} />}
        {leftOut.length > 0 && (
          <ul aria-label={labels.leftOut} className="flex flex-col gap-1">
            {leftOut.map((problem) => (
              <li key={problem} className="flex items-start gap-2 text-warn [overflow-wrap:anywhere]">
                <CircleAlert size={14} aria-hidden className="mt-1 shrink-0" />
                <VisibleText text={problem} />
              </li>
            ))}
          </ul>
        )}
        {errorOutput.trim() !== '' && (
          <details>
            <summary className="min-h-6 text-muted">{labels.errorOutput}</summary>
            <pre {...reachable} className="max-h-40 overflow-auto font-mono text-xs">
              <VisibleText text={errorOutput} />
            </pre>
          </details>
        )}
      </div>
    </li>
  )
}

function ToolList({ tools }: Pick<McpServerView, 'tools'>): ReactNode {
  const offered = tools.filter(({ deniedBy }) => deniedBy === null)
  const tokens = offered.reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <details>
      <summary className="min-h-6">
        {labels.tools(offered.length, formatCount(tokens))}
        {offered.length < tools.length && (
          <span className="text-muted"> · {labels.denied(tools.length - offered.length)}</span>
        )}
      </summary>
      <ul className="flex flex-col gap-1 pt-1 pl-4">
        {tools.map(({ name, description, change, deniedBy }) => (
          <li key={name} className="[overflow-wrap:anywhere]">
            <code>
              <VisibleText text={name} />
            </code>
            {change && <span className="ml-2 font-medium text-warn">{labels.changed(change)}</span>}
            {deniedBy !== null && (
              <span className="ml-2 text-muted">
                <VisibleText text={labels.deniedBy(deniedBy)} />
              </span>
            )}
            <p className="text-muted">
              <VisibleText text={description} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}

const appearances = {
  untrusted: { Icon: ShieldOff, look: 'text-muted' },
  idle: { Icon: CircleDashed, look: 'text-muted' },
  connecting: { Icon: CircleDashed, look: 'text-accent' },
  ready: { Icon: CircleCheck, look: 'text-good' },
  failed: { Icon: CircleAlert, look: 'text-bad' },
  login: { Icon: LogIn, look: 'text-warn' },
} as const

function StateMark({ state }: { state: McpServerState }): ReactNode {
  const { Icon, look } = appearances[state.kind]
  return (
    <span className={`inline-flex items-center gap-1 ${look}`}>
      <Icon size={14} aria-hidden />
      {labels.state[state.kind]}
    </span>
  )
}

/** Everything that the definition can do to the machine: the environment or headers, then the command or address. */
function definitionText({ transport }: McpServerView): string {
  const pairs = Object.entries(transport.kind === 'stdio' ? transport.env : transport.headers)
  const named = pairs.map(([name, value]) => (transport.kind === 'stdio' ? `${name}=${value}` : `${name}: ${value}`))
  if (transport.kind === 'http') {
    const { url, oauth = {} } = transport
    return [url, ...named, ...Object.entries(oauth).map(([key, value]) => `oauth.${key}: ${value}`)].join('\n')
  }
  return [...named, [transport.command, ...transport.args].map(quoteArgument).join(' ')].join('\n')
}

function quoteArgument(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word)
}
