import {
  ChevronDown,
  CircleHelp,
  Monitor,
  Moon,
  PanelLeft,
  PanelRight,
  Search,
  Settings,
  SquareTerminal,
  Sun,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useApp, useSession } from '../state/hooks/hooks.tsx'
import { keysHere } from '../state/preferences/keymap.ts'
import { nextTheme, readTheme, saveTheme } from '../state/preferences/theme.ts'
import { askForFolder, showHistory, showMemory } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { Menu } from '../ui/controls/menu.tsx'
import { useMedia } from '../ui/react/observers.ts'
import { runCommand } from './run-command.ts'
import { inspectorFitsBeside, sidebarFits as sidebarWidth } from './side-widths.ts'

const labels = strings.shell

export function TopBar(): ReactNode {
  const session = useSession()
  const { updateUi } = session
  const ui = useApp((state) => state.ui)
  const projectInfo = useApp((state) => state.projectInfo)
  const changes = useApp((state) => state.changes?.length ?? 0)
  const sidebarFits = useMedia(sidebarWidth)
  const inspectorFits = useMedia(inspectorFitsBeside(ui.tab))
  return (
    <header
      data-region
      tabIndex={-1}
      className="flex h-11 shrink-0 items-center gap-1 border-line border-b bg-panel px-2 outline-none"
    >
      <h1 className="sr-only">{projectInfo?.name}</h1>
      <IconButton
        label={labels.toggleSidebar}
        keys={keysHere('Mod+B')}
        aria-pressed={sidebarFits ? ui.sidebar : ui.drawer === 'sidebar'}
        onClick={() => runCommand(session, 'sidebar')}
      >
        <PanelLeft size={16} aria-hidden />
      </IconButton>
      <Menu
        trigger={
          <Button tone="quiet" className="max-w-56 shrink!" aria-label={`${labels.projectMenu}: ${projectInfo?.name}`}>
            <span className="truncate font-semibold text-text">{projectInfo?.name}</span>
            {projectInfo?.gitHead && <span className="truncate text-muted">{projectInfo.gitHead}</span>}
            <ChevronDown size={13} aria-hidden className="shrink-0" />
          </Button>
        }
        choices={[
          { id: 'history', label: strings.history.title, onSelect: () => updateUi(showHistory) },
          {
            id: 'memory',
            label: strings.memory.title,
            onSelect: () => updateUi((before) => showMemory(before, null)),
          },
          { id: 'home', label: labels.goHome, onSelect: () => session.closeProject() },
          {
            id: 'open',
            label: labels.openAnother,
            hint: projectInfo?.path ?? '',
            onSelect: () => updateUi(askForFolder),
          },
        ]}
      />
      <button
        type="button"
        onClick={() => updateUi((before) => ({ ...before, tab: 'changes' }))}
        className="hidden truncate rounded-md px-2 py-1 text-muted hover:bg-hover md:inline"
      >
        {changes > 0 ? labels.workspaceChanged(changes) : labels.workspaceClean}
      </button>
      <span className="flex-1" />
      <Button
        icon={<Search size={14} aria-hidden />}
        aria-label={labels.search}
        onClick={() => runCommand(session, 'palette')}
        className="text-muted!"
      >
        <span className="hidden lg:inline">{labels.searchShort}</span>
        <kbd className="hidden font-sans text-faint text-xs lg:inline">{keysHere('Mod+K')}</kbd>
      </Button>
      <IconButton
        label={labels.keyboardHelp}
        keys="?"
        onClick={() => runCommand(session, 'keys')}
        className="max-sm:hidden"
      >
        <CircleHelp size={16} aria-hidden />
      </IconButton>
      <IconButton
        label={labels.toggleTerminal}
        keys="Ctrl+`"
        aria-pressed={ui.bottom}
        onClick={() => runCommand(session, 'terminal')}
      >
        <SquareTerminal size={16} aria-hidden />
      </IconButton>
      <ThemeToggle />
      <IconButton label={labels.settings} onClick={() => updateUi((before) => ({ ...before, route: 'settings' }))}>
        <Settings size={16} aria-hidden />
      </IconButton>
      <IconButton
        label={labels.toggleInspector}
        keys={keysHere('Mod+Alt+B')}
        aria-pressed={inspectorFits ? ui.inspector : ui.drawer === 'inspector'}
        onClick={() => runCommand(session, 'inspector')}
      >
        <PanelRight size={16} aria-hidden />
      </IconButton>
    </header>
  )
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const

function ThemeToggle(): ReactNode {
  const [theme, setTheme] = useState(() => readTheme(localStorage))
  const Icon = themeIcons[theme]
  function change(): void {
    const next = nextTheme(theme)
    saveTheme(localStorage, document.documentElement, next)
    setTheme(next)
  }
  return (
    <IconButton label={labels.theme[theme]} onClick={change}>
      <Icon size={16} aria-hidden />
    </IconButton>
  )
}
