/** The menu of the desktop app that lists a command; null for the palette alone. */
type CommandMenu = 'file' | 'view' | 'go' | 'thread' | 'help' | null

interface CommandFacts {
  /** The name in the palette, in the list of shortcuts and in the menu. */
  readonly label: string
  /** Such as `Mod+Alt+N`; `Mod` is Command on a Mac and Control elsewhere. Empty for none. */
  readonly keys: string
  readonly menu: CommandMenu
  /** What has to be open for the command to mean something. */
  readonly needs: 'nothing' | 'project' | 'thread'
  /** True for a command that only the desktop app has. */
  readonly isDesktop?: true
}

/**
 * Every command of the window, for its keys, its palette and the menu of the desktop app. The order is that of the
 * palette. Settings and themes are listed there besides.
 */
export const windowCommands = {
  palette: { label: 'Search or run a command', keys: 'Mod+K', menu: 'go', needs: 'nothing' },
  file: { label: 'Go to file', keys: 'Mod+P', menu: 'go', needs: 'project' },
  newThread: { label: 'New thread', keys: 'Mod+Alt+N', menu: 'file', needs: 'project' },
  sidebar: { label: 'Threads and files', keys: 'Mod+B', menu: 'view', needs: 'project' },
  inspector: { label: 'Inspector: approvals, agents, todo', keys: 'Mod+Alt+B', menu: 'view', needs: 'project' },
  bottom: { label: 'Terminal panel', keys: 'Mod+J', menu: 'view', needs: 'project' },
  terminal: { label: 'Terminal', keys: 'Ctrl+`', menu: null, needs: 'project' },
  nextApproval: { label: 'Next approval or question', keys: 'F8', menu: 'go', needs: 'project' },
  previousApproval: { label: 'Previous approval or question', keys: 'Shift+F8', menu: 'go', needs: 'project' },
  mode: { label: 'Next approval mode', keys: 'Mod+.', menu: 'thread', needs: 'project' },
  nextRegion: { label: 'Next region', keys: 'F6', menu: 'go', needs: 'nothing' },
  keys: { label: 'Show keyboard shortcuts', keys: '?', menu: 'help', needs: 'nothing' },
  stop: { label: 'Stop the agent', keys: 'Esc', menu: 'thread', needs: 'thread' },
  compact: { label: 'Compact the conversation', keys: '', menu: 'thread', needs: 'thread' },
  rewind: { label: 'Rewind…', keys: 'Esc Esc', menu: 'thread', needs: 'thread' },
  context: { label: 'What the model sees', keys: '', menu: 'thread', needs: 'thread' },
  chat: { label: 'Show chat', keys: '', menu: 'view', needs: 'project' },
  changes: { label: 'Show changes', keys: '', menu: 'view', needs: 'project' },
  branches: { label: 'Show branches', keys: '', menu: 'view', needs: 'project' },
  board: { label: 'Show the board', keys: '', menu: 'view', needs: 'project' },
  exportPatch: { label: 'Export patch…', keys: '', menu: 'file', needs: 'project' },
  deliver: { label: 'Deliver as commits…', keys: '', menu: 'file', needs: 'project' },
  apply: { label: 'Apply to disk…', keys: '', menu: 'file', needs: 'project' },
  history: { label: 'History', keys: '', menu: 'view', needs: 'project' },
  // Not first, since it may leave the project and Enter runs the first one.
  open: { label: 'Open a folder', keys: 'Mod+O', menu: 'file', needs: 'nothing' },
  folders: { label: 'Folders of this project…', keys: '', menu: 'file', needs: 'project' },
  newWindow: { label: 'New window', keys: 'Mod+Shift+N', menu: 'file', needs: 'nothing', isDesktop: true },
  settings: { label: 'Settings', keys: 'Mod+,', menu: 'file', needs: 'nothing' },
  installCommand: {
    label: 'Install the coppice command',
    keys: '',
    menu: 'help',
    needs: 'nothing',
    isDesktop: true,
  },
  checkUpdates: { label: 'Check for updates', keys: '', menu: 'help', needs: 'nothing' },
  about: { label: 'About Coppice', keys: '', menu: 'help', needs: 'nothing' },
} as const satisfies Readonly<Record<string, CommandFacts>>

export type WindowCommand = keyof typeof windowCommands

/** The facts of every command, in the order of the palette. */
export const listedCommands = Object.entries(windowCommands).map(
  ([id, facts]): CommandFacts & { readonly id: WindowCommand } => ({ id: id as WindowCommand, ...facts }),
)
