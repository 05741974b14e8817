import { openBubblewrap } from './bubblewrap/open-bubblewrap.ts'
import { noSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
import { openSeatbelt } from './seatbelt/open-seatbelt.ts'
import { openWsl } from './wsl/open-wsl.ts'

/** Opens the sandbox of this system. `hidden`: the app's own folders, which no command may read. */
export async function openSandbox(hidden: readonly string[], options: SandboxOptions = {}): Promise<Sandbox> {
  switch (process.platform) {
    case 'linux':
      return openBubblewrap(hidden, options)
    case 'darwin':
      return openSeatbelt(hidden, options)
    case 'win32':
      return openWsl(options)
    default:
      return noSandbox(`There is no sandbox for commands on ${process.platform}. Every command asks.`, options)
  }
}
