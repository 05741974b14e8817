import { Dialog } from '@base-ui/react/dialog'
import { Command, useCommandState } from 'cmdk'
import { FileText, MessageSquare } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useAppList, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { keysHere } from '../state/preferences/keymap.ts'
import { activeThread, rootThreads, workspaceOf } from '../state/store/selectors.ts'
import { openFile, showThread, type UiState } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { paletteActions } from './palette-actions.ts'

const labels = strings.shell.palette
const threadsShown = 20
const itemClass = 'flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 aria-selected:bg-hover'
const groupClass =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:text-xs'

/** Finds commands, threads and files by name. */
export function CommandPalette({ onlyFiles, onClose }: { onlyFiles: boolean; onClose: () => void }): ReactNode {
  const session = useSession()
  const [query, setQuery] = useState('')
  const threads = useThreads(query)
  const hasProject = useApp((state) => state.projectInfo !== null)
  const hasThread = useApp((state) => activeThread(state) !== null)
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  const canInstallCommand = useApp((state) => state.info?.canInstallCommand ?? false)
  const actions = useMemo(
    () => paletteActions({ hasProject, hasThread, isDesktop, canInstallCommand }),
    [hasProject, hasThread, isDesktop, canInstallCommand],
  )
  const { files, isLoading } = useFiles(query)
  const go = (change: (ui: UiState) => UiState): void => {
    onClose()
    session.updateUi(change)
  }
  const onEnter = useEnterBeforeResult({
    query,
    files,
    isLoading,
    onlyFiles,
    open: (path) => go((ui) => openFile(ui, path)),
  })
  return (
    <PaletteDialog onEnter={onEnter} onClose={onClose}>
      <Command.Input
        ref={takeFocus}
        value={query}
        onValueChange={setQuery}
        placeholder={onlyFiles ? labels.filePlaceholder : labels.placeholder}
        className="h-11 w-full border-line border-b bg-transparent px-4 text-base outline-none"
      />
      <Nothing files={files.length} isLoading={isLoading} isEmpty={query === ''} onlyFiles={onlyFiles} />
      <Command.List className="max-h-[50vh] overflow-auto p-1">
        {!onlyFiles && (
          <Command.Group heading={labels.commands} className={groupClass}>
            {actions.map((action) => (
              <Command.Item
                key={action.label}
                value={`command ${action.label}`}
                className={itemClass}
                onSelect={() => {
                  onClose()
                  void action.run(session)
                }}
              >
                {action.label}
                {action.keys !== '' && (
                  <kbd className="ml-auto font-sans text-faint text-xs">{keysHere(action.keys)}</kbd>
                )}
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {!onlyFiles && threads.length > 0 && (
          <Command.Group heading={labels.threads} className={groupClass}>
            {threads.map((thread) => (
              <Command.Item
                key={thread.id}
                value={`thread ${thread.title} ${thread.id}`}
                className={itemClass}
                onSelect={() => go((ui) => showThread(ui, thread.id))}
              >
                <MessageSquare size={14} aria-hidden className="text-faint" />
                <span className="truncate">
                  <VisibleText text={thread.title} />
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {files.length > 0 && (
          <Command.Group heading={labels.files} className={groupClass} forceMount>
            {files.map((path) => (
              <Command.Item
                key={path}
                value={`file ${path}`}
                forceMount
                className={itemClass}
                onSelect={() => go((ui) => openFile(ui, path))}
              >
                <FileText size={14} aria-hidden className="text-faint" />
                <span className="truncate font-mono text-xs">
                  <VisibleText text={path} />
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </PaletteDialog>
  )
}

interface PaletteDialogProps {
  /** Handles the keys before the list does. */
  readonly onEnter: (event: KeyboardEvent<HTMLElement>) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * The window over the page. The dialog of `cmdk` locks the page with styles that every element inherits, and computing
 * them all again takes half of the time in which the palette opens. Here the backdrop alone keeps the pointer away.
 */
function PaletteDialog({ onEnter, onClose, children }: PaletteDialogProps): ReactNode {
  const [opener] = useState(focusedElement)
  return (
    <Dialog.Root open modal="trap-focus" onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]" />
        <Dialog.Popup
          aria-label={labels.title}
          finalFocus={() => opener}
          className="fixed inset-x-2 top-[12vh] z-50 mx-auto max-w-xl overflow-hidden rounded-lg border border-line-strong bg-raised outline-none"
        >
          <Command label={labels.title} onKeyDown={onEnter}>
            {children}
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function focusedElement(): HTMLElement | null {
  return document.activeElement instanceof HTMLElement ? document.activeElement : null
}

/** The field takes the focus as soon as it is there, so that it gets the keys of somebody who types on. */
function takeFocus(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true })
}

/** The latest threads whose title contains the query. A project can have thousands. */
function useThreads(query: string): readonly ThreadState[] {
  const threads = useAppList(rootThreads)
  const typed = query.trim().toLowerCase()
  return useMemo(() => {
    const fitting = typed === '' ? threads : threads.filter(({ title }) => title.toLowerCase().includes(typed))
    return fitting.slice(0, threadsShown)
  }, [threads, typed])
}

interface FoundFiles {
  readonly files: readonly VirtualPath[]
  /** True while the files are those of an earlier query. */
  readonly isLoading: boolean
}

function useFiles(query: string): FoundFiles {
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const [found] = useQuery('files.find', projectId && query !== '' ? { projectId, branchId, query, limit: 12 } : null)
  const paths = found.value
  const files = useMemo(
    () => (paths ?? []).map((path) => (path.startsWith('/') ? path : `/${path}`) as VirtualPath),
    [paths],
  )
  return { files, isLoading: found.state === 'loading' }
}

interface NothingProps {
  readonly files: number
  readonly isLoading: boolean
  readonly isEmpty: boolean
  readonly onlyFiles: boolean
}

/** Says that nothing was found, but only once that is known. */
function Nothing({ files, isLoading, isEmpty, onlyFiles }: NothingProps): ReactNode {
  const others = useCommandState((state) => state.filtered.count)
  if (files > 0 || (!onlyFiles && others > 0)) return null
  if (isEmpty && onlyFiles) return <p className="px-4 py-5 text-muted">{labels.typeName}</p>
  return (
    <p role="status" className="px-4 py-5 text-muted">
      {isLoading ? labels.searching : labels.empty}
    </p>
  )
}

interface EnterParts extends FoundFiles {
  readonly query: string
  readonly onlyFiles: boolean
  readonly open: (path: VirtualPath) => void
}

/**
 * Enter can come before the answer, or before a result is chosen. Then the first file opens as soon as it is known.
 * Returns what handles the key.
 */
function useEnterBeforeResult({ query, files, isLoading, onlyFiles, open }: EnterParts) {
  const [waiting, setWaiting] = useState<string | null>(null)
  const first = files[0]
  const latest = useRef(open)
  latest.current = open
  useEffect(() => {
    if (waiting === null || isLoading) return
    setWaiting(null)
    if (waiting === query && first !== undefined) latest.current(first)
  }, [waiting, isLoading, query, first])
  return (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || query === '') return
    const chosen = event.currentTarget.querySelector('[cmdk-item][aria-selected="true"]')
    if (chosen && !(onlyFiles && isLoading)) return
    event.preventDefault()
    setWaiting(query)
  }
}
