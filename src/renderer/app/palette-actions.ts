import { listedCommands } from '#shared/contract/window-commands.ts'
import { saveTheme, type Theme, themes } from '../state/preferences/theme.ts'
import type { Session } from '../state/session/session.ts'
import { type SettingsSection, showSettings } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { runCommand } from './run-command.ts'

const labels = strings.shell.palette

interface PaletteAction {
  readonly label: string
  /** The shortcut that does the same; empty for none. */
  readonly keys: string
  readonly run: (session: Session) => unknown
}

interface Surroundings {
  readonly hasProject: boolean
  readonly hasThread: boolean
  readonly isDesktop: boolean
  readonly canInstallCommand: boolean
}

/** The commands of the palette. Those that mean nothing here are left out. */
export function paletteActions(here: Surroundings): readonly PaletteAction[] {
  const met = { nothing: true, project: here.hasProject, thread: here.hasThread } as const
  const commands = listedCommands
    .filter(({ id }) => id !== 'palette' && id !== 'terminal')
    .filter(({ id }) => id !== 'installCommand' || here.canInstallCommand)
    .filter(({ needs, isDesktop }) => met[needs] && (!isDesktop || here.isDesktop))
  return [
    ...commands.map(({ id, label, keys }) => ({ label, keys, run: (session: Session) => runCommand(session, id) })),
    ...settingsActions,
    ...themes.map((theme) => ({ label: labels.theme(theme), keys: '', run: () => chooseTheme(theme) })),
  ]
}

const settingsActions: readonly PaletteAction[] = (Object.keys(strings.settings.sections) as SettingsSection[]).map(
  (section) => ({
    label: labels.settings(strings.settings.sections[section]),
    keys: '',
    run: ({ updateUi }) => updateUi((ui) => showSettings(ui, section)),
  }),
)

function chooseTheme(theme: Theme): void {
  saveTheme(localStorage, document.documentElement, theme)
}
