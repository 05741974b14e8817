import { Command } from 'cmdk'
import { FileText, MessageSquare } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useAppList, useClient, useLoaded, useProjectId, useSession } from '../state/hooks.tsx'
import { keymap } from '../state/keymap.ts'
import { keysHere } from '../state/platform.ts'
import { rootThreads, workspaceOf } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { openFile, showHistory, showMemory, showThread, type ViewState } from '../state/view.ts'
import { runCommand } from './use-keyboard.ts'

const words = strings.shell.palette
const itemClass = 'flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 aria-selected:bg-hover'
const groupClass =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:text-xs'

/** Everything by name: commands, threads, files. */
export function CommandPalette({ onlyFiles, onClose }: { onlyFiles: boolean; onClose: () => void }): ReactNode {
  const session = useSession()
  const [query, setQuery] = useState('')
  const threads = useAppList(rootThreads)
  const files = useFiles(query)
  const go = (change: (view: ViewState) => ViewState): void => {
    onClose()
    session.updateView(change)
  }
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => open || onClose()}
      label={words.title}
      overlayClassName="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]"
      contentClassName="fixed inset-x-2 top-[12vh] z-50 mx-auto max-w-xl overflow-hidden rounded-lg border border-line-strong bg-raised"
    >
      <Command.Input
        value={query}
        onValueChange={setQuery}
        placeholder={onlyFiles ? words.filePlaceholder : words.placeholder}
        className="h-11 w-full border-line border-b bg-transparent px-4 text-base outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-auto p-1">
        <Command.Empty className="px-3 py-4 text-muted">{words.empty}</Command.Empty>
        {!onlyFiles && (
          <Command.Group heading={words.commands} className={groupClass}>
            {commands.map(({ command, label, keys }) => (
              <Command.Item
                key={command}
                value={`command ${label}`}
                className={itemClass}
                onSelect={() => {
                  onClose()
                  runCommand(session, command)
                }}
              >
                {label}
                <kbd className="ml-auto font-sans text-faint text-xs">{keysHere(keys)}</kbd>
              </Command.Item>
            ))}
            {places.map(({ label, show }) => (
              <Command.Item key={label} value={`command ${label}`} className={itemClass} onSelect={() => go(show)}>
                {label}
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {!onlyFiles && threads.length > 0 && (
          <Command.Group heading={words.threads} className={groupClass}>
            {threads.map((thread) => (
              <Command.Item
                key={thread.id}
                value={`thread ${thread.title} ${thread.id}`}
                className={itemClass}
                onSelect={() => go((view) => showThread(view, thread.id))}
              >
                <MessageSquare size={14} aria-hidden className="text-faint" />
                <span className="truncate">{thread.title}</span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {files.length > 0 && (
          <Command.Group heading={words.files} className={groupClass} forceMount>
            {files.map((path) => (
              <Command.Item
                key={path}
                value={`file ${path}`}
                forceMount
                className={itemClass}
                onSelect={() => go((view) => openFile(view, path))}
              >
                <FileText size={14} aria-hidden className="text-faint" />
                <span className="truncate font-mono text-xs">{path}</span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command.Dialog>
  )
}

const places: readonly { readonly label: string; readonly show: (view: ViewState) => ViewState }[] = [
  { label: strings.shell.settings, show: (view) => ({ ...view, route: 'settings' }) },
  { label: strings.memory.title, show: (view) => showMemory(view, null) },
  { label: strings.history.title, show: showHistory },
]

const commands = keymap.filter(({ command }) => command !== 'palette' && command !== 'terminal')

function useFiles(query: string): readonly VirtualPath[] {
  const client = useClient()
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const [found] = useLoaded(`${projectId} ${query}`, async () =>
    projectId && query !== '' ? client.files.find({ projectId, branchId, query, limit: 12 }) : [],
  )
  return (found.value ?? []).map((path) => (path.startsWith('/') ? path : `/${path}`) as VirtualPath)
}
