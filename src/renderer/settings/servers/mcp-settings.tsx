import { Plus, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { McpServerView } from '#shared/contract/views/extensions.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useOfferUndo } from '../../parts/use-offer-undo.ts'
import { useApp, useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { mcpStrings } from '../../strings/later/extensions.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Empty, Notice } from '../../ui/controls/notice.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { McpServerCard } from './mcp-server-card.tsx'

import { McpServerForm } from './mcp-server-form.tsx'
import { emptyMcpForm, type McpForm, mcpFormOf, transportOf } from './mcp-transport-text.ts'

const labels = mcpStrings

/** The servers of the open project: what each would run, whether the person trusts it, and its tools. */
export function McpSettings(file: FileText): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  if (!projectInfo) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  return <ServerList projectId={projectInfo.id} folderTrusted={projectInfo.trusted} file={file} />
}

interface FileText {
  /** The text of the settings file. Servers are loaded again when it changes. */
  readonly text: string
  readonly onSaved: () => void
}

interface ServerListProps {
  readonly projectId: ProjectId
  readonly folderTrusted: boolean
  readonly file: FileText
}

function ServerList({ projectId, folderTrusted, file }: ServerListProps): ReactNode {
  const offerUndo = useOfferUndo()
  const [form, setForm] = useState<McpForm | null>(null)
  const client = useClient()
  const command = useCommand()
  const [list, reload] = useQuery('mcp.list', { projectId }, file.text)
  if (list.state === 'failed') return <RefusalNotice refusal={list.refusal} onRetry={reload} />
  if (!list.value) return <p className="text-muted">{strings.common.loading}</p>
  const { servers, problems } = list.value
  const change = (act: () => Promise<unknown>): void => void command.run(act).then(reload)
  const trust = ({ hash }: McpServerView, trusted: boolean): void =>
    change(() => client.mcp.trust({ projectId, hash, trusted }))
  const remove = ({ name, transport }: McpServerView): void =>
    change(async () => {
      await client.mcp.remove({ name })
      file.onSaved()
      offerUndo(labels.removed(name), async () => {
        const known = transportOf(mcpFormOf(name, transport))
        if (known) await client.mcp.put({ name, transport: known })
        file.onSaved()
      })
    })
  const waitsForFolder = !folderTrusted && servers.some(({ source, trusted }) => source === 'project' && trusted)
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      {problems.length > 0 && <Notice tone="warning" title={labels.problems} detail={problems.join(' ')} />}
      {waitsForFolder && <Notice tone="info" title={labels.folderFirst} />}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {servers.length === 0 && problems.length === 0 && <Empty title={labels.none} detail={labels.noneDetail} />}
      <ul className="flex flex-col gap-3">
        {servers.map((server) => (
          <McpServerCard
            key={server.hash}
            server={server}
            projectId={projectId}
            onChanged={reload}
            busy={command.busy}
            own={
              server.source === 'user'
                ? {
                    onEdit: () => setForm(mcpFormOf(server.name, server.transport)),
                    onRemove: () => remove(server),
                  }
                : null
            }
            onTrust={trust}
          />
        ))}
      </ul>
      {form ? (
        <McpServerForm
          key={form.name}
          initial={form}
          known={form.name !== ''}
          onCancel={() => setForm(null)}
          onSaved={() => {
            setForm(null)
            toastNote(labels.saved)
            file.onSaved()
          }}
        />
      ) : (
        <Button className="self-start" icon={<Plus size={14} aria-hidden />} onClick={() => setForm(emptyMcpForm)}>
          {labels.newServer}
        </Button>
      )}
      {servers.some(({ trusted }) => trusted) && (
        <ConnectButton busy={command.busy} onConnect={() => change(() => client.mcp.refresh({ projectId }))} />
      )}
    </>
  )
}

function ConnectButton({ busy, onConnect }: { readonly busy: boolean; readonly onConnect: () => void }): ReactNode {
  return (
    <div>
      <Button icon={<RotateCw size={14} aria-hidden />} disabled={busy} onClick={onConnect}>
        {busy ? labels.testing : labels.test}
      </Button>
    </div>
  )
}
