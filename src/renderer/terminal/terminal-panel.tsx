import { Plus, X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useStore } from 'zustand'
import type { TerminalRecord } from '#shared/model/process.ts'
import { useOpenLink } from '../parts/use-open-link.ts'
import { useApp, useAppList, useClient, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import type { AppState } from '../state/store/app-state.ts'
import { activeBranches } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { Menu } from '../ui/controls/menu.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { Tabs } from '../ui/controls/tabs.tsx'
import { AgentOutput } from './agent-output.tsx'
import { ShellView } from './shell-view.tsx'
import { outputTab, type Terminals, type TerminalTab, terminalsOf } from './terminals.ts'

const labels = strings.terminal
const panelId = 'terminal-panel'

/** The person's own shells, in which no agent can type, and the output of agents' commands. */
export function TerminalPanel(): ReactNode {
  const client = useClient()
  const terminals = terminalsOf(client, useProjectId())
  const { tabs, selected, link } = useStore(terminals.store)
  const updateUi = useUpdateUi()
  const branches = useApp((state) => state.project.branches)
  const waiting = useAppList(waitingTerminals)
  const nameOf = ({ branchId }: TerminalTab): string | null =>
    branchId === null ? null : (branches.get(branchId)?.name ?? branchId)
  const shown = tabs.find(({ id }) => id === selected)
  useEffect(() => terminals.showWaiting(waiting), [terminals, waiting])
  const typed = useApp((state) => state.ui.typed)
  useEffect(() => {
    if (typed === null && terminals.store.getState().tabs.length === 0) terminals.open(null)
    if (typed === null) return
    terminals.open(null, typed)
    updateUi((ui) => ({ ...ui, typed: null }))
  }, [terminals, typed, updateUi])
  return (
    <section
      aria-label={labels.title}
      data-region
      tabIndex={-1}
      className="flex h-full flex-col bg-canvas outline-none"
    >
      <Header terminals={terminals} tabs={tabs} selected={selected} nameOf={nameOf} />
      {link !== null && (
        <div className="p-2">
          <LinkQuestion url={link} onDone={() => terminals.askLink(null)} />
        </div>
      )}
      <div
        role="tabpanel"
        id={panelId}
        aria-labelledby={`${panelId}-tab-${selected}`}
        className="flex min-h-0 flex-1 flex-col"
      >
        {shown ? (
          <ShellView key={shown.id} tab={shown} branchName={nameOf(shown)} terminals={terminals} />
        ) : (
          <AgentOutput onLink={terminals.askLink} />
        )}
      </div>
    </section>
  )
}

/** The ended terminals of people whose changes nobody has decided about. */
function waitingTerminals({ project }: AppState): readonly TerminalRecord[] {
  return [...project.terminals.values()].flat().filter(({ patch }) => patch !== null)
}

interface HeaderProps {
  readonly terminals: Terminals
  readonly tabs: readonly TerminalTab[]
  readonly selected: string
  readonly nameOf: (tab: TerminalTab) => string | null
}

function Header({ terminals, tabs, selected, nameOf }: HeaderProps): ReactNode {
  const updateUi = useUpdateUi()
  const branches = useAppList(activeBranches)
  const items = tabs.map((tab) => {
    const branch = nameOf(tab)
    return {
      id: tab.id,
      label: branch === null ? labels.tab(tab.number) : labels.branchTab(branch),
      onClose: () => void terminals.close(tab.id),
    }
  })
  const choices = [
    { id: 'folder', label: labels.inFolder, hint: labels.inFolderHint, onSelect: () => terminals.open(null) },
    ...branches
      .filter(({ status }) => status === 'open')
      .map(({ id, name }) => ({
        id,
        label: labels.inBranch(name),
        hint: labels.inBranchHint,
        onSelect: () => terminals.open(id),
      })),
  ]
  return (
    <header className="flex h-9 shrink-0 items-stretch border-line border-b bg-panel pr-2">
      <div className="min-w-0 flex-1">
        <Tabs
          label={labels.tabs}
          allLabel={strings.shell.allTabs}
          closeLabel={strings.shell.closeTab}
          items={[...items, { id: outputTab, label: labels.output }]}
          selected={selected}
          panelId={panelId}
          onSelect={terminals.select}
        />
      </div>
      <div className="flex shrink-0 items-center gap-1">
        {selected !== outputTab && (
          <IconButton label={labels.end} className="size-6!" onClick={() => void terminals.close(selected)}>
            <X size={14} aria-hidden />
          </IconButton>
        )}
        <Menu
          trigger={
            <button
              type="button"
              aria-label={labels.add}
              title={labels.add}
              className="inline-flex size-6 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
            >
              <Plus size={14} aria-hidden />
            </button>
          }
          choices={choices}
        />
        <Button tone="quiet" className="h-6" onClick={() => updateUi((ui) => ({ ...ui, bottom: false }))}>
          {labels.hide}
        </Button>
      </div>
    </header>
  )
}

function LinkQuestion({ url, onDone }: { url: string; onDone: () => void }): ReactNode {
  const openLink = useOpenLink()
  const open = (): void => {
    openLink(url)
    onDone()
  }
  return (
    <Notice
      tone="info"
      title={labels.link}
      detail={url}
      actions={
        <>
          <Button onClick={open}>{strings.chat.openLink}</Button>
          <Button tone="quiet" onClick={onDone}>
            {strings.common.cancel}
          </Button>
        </>
      }
    />
  )
}
