import { type KeyCommand, keymap } from '../state/preferences/keymap.ts'
import { saveTheme, type Theme, themes } from '../state/preferences/theme.ts'
import type { Session } from '../state/session/session.ts'
import { activeThread } from '../state/store/selectors.ts'
import {
  type SettingsSection,
  showChangesDialog,
  showHistory,
  showRewind,
  type UiState,
} from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { runCommand } from './use-keyboard.ts'

const labels = strings.shell.palette

interface PaletteAction {
  readonly label: string
  /** The shortcut that does the same; empty for none. */
  readonly keys: string
  readonly run: (session: Session) => unknown
}

/** The commands of the palette. Without a project or a thread, commands that need one are left out. */
export function paletteActions(hasProject: boolean, hasThread: boolean): readonly PaletteAction[] {
  const keyed = keymap
    .filter(({ command }) => command !== 'palette' && command !== 'terminal')
    .filter(({ command }) => hasProject || withoutProject.has(command))
  const { leaves = [], stays = [] } = Object.groupBy(keyed, ({ command }) => (command === 'open' ? 'leaves' : 'stays'))
  const actionOf = ({ command, label, keys }: (typeof keymap)[number]): PaletteAction => ({
    label,
    keys,
    run: (session) => runCommand(session, command),
  })
  return [
    ...stays.map(actionOf),
    ...(hasThread ? threadActions : []),
    ...(hasProject ? projectActions : []),
    // Not first, since it may leave the project and Enter runs the first one.
    ...leaves.map(actionOf),
    ...settingsActions,
    ...themes.map((theme) => ({ label: labels.theme(theme), keys: '', run: () => chooseTheme(theme) })),
  ]
}

const withoutProject: ReadonlySet<KeyCommand> = new Set(['open', 'keys'])

const go =
  (change: (ui: UiState) => UiState) =>
  ({ updateUi }: Session): void =>
    updateUi(change)

const tab = (name: 'chat' | 'changes' | 'branches' | 'board') =>
  go((ui) => ({ ...ui, route: 'workspace', tab: name, drawer: 'none' }))

const projectActions: readonly PaletteAction[] = [
  { label: labels.chat, keys: '', run: tab('chat') },
  { label: labels.changes, keys: '', run: tab('changes') },
  { label: labels.branches, keys: '', run: tab('branches') },
  { label: labels.board, keys: '', run: tab('board') },
  { label: labels.exportPatch, keys: '', run: go((ui) => showChangesDialog(ui, 'export')) },
  { label: labels.apply, keys: '', run: go((ui) => showChangesDialog(ui, 'apply')) },
  { label: strings.history.title, keys: '', run: go(showHistory) },
]

const threadActions: readonly PaletteAction[] = [
  { label: labels.stop, keys: 'Esc', run: (session) => onThread(session, 'stop') },
  { label: labels.compact, keys: '', run: (session) => onThread(session, 'compact') },
  { label: labels.rewind, keys: 'Esc Esc', run: go((ui) => showRewind(ui, null)) },
  { label: labels.context, keys: '', run: go((ui) => ({ ...ui, overlay: 'context' })) },
]

const settingsActions: readonly PaletteAction[] = [
  { label: strings.shell.settings, keys: '', run: go((ui) => ({ ...ui, route: 'settings' })) },
  ...(Object.keys(strings.settings.sections) as SettingsSection[]).map((settingsSection) => ({
    label: labels.settings(strings.settings.sections[settingsSection]),
    keys: '',
    run: go((ui) => ({ ...ui, route: 'settings', settingsSection, memory: null })),
  })),
]

async function onThread({ client, store }: Session, act: 'stop' | 'compact'): Promise<void> {
  const { projectInfo } = store.getState()
  const thread = activeThread(store.getState())
  if (projectInfo && thread) await client.threads[act]({ projectId: projectInfo.id, threadId: thread.id })
}

function chooseTheme(theme: Theme): void {
  saveTheme(localStorage, document.documentElement, theme)
}
