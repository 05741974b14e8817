import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { openPage } from '../../web/open-page.ts'
import { startWebFrontend, type WebFrontend } from '../../web/web-frontend.ts'
import { appPaths } from '../app-paths.ts'
import { type CommandLine, numberOf, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHost } from '../open-host.ts'

const usualPort = 7420

/** `coppice serve`: shows the window in a browser. Runs until Ctrl+C. */
export async function serve(line: CommandLine): Promise<number> {
  const port = numberOf(line, 'port', { min: 0, max: 65_535 })
  const address = line.text('host') ?? '127.0.0.1'
  if (!existsSync(appPaths.renderer)) throw new Error('The window is not built. Run "npm run build" first.')
  const [folder] = line.positionals
  await using host = await openHost(line, 'web', folder === undefined ? null : resolve(folder))
  if (folder !== undefined) await host.projects.open(resolve(folder))
  const start = (chosen: number) => startWebFrontend({ host, rendererFolder: appPaths.renderer, address, port: chosen })
  await using shell = await start(port ?? usualPort).catch((error) => whenTaken(error, port, () => start(0)))
  if (!isLoopback(address))
    process.stderr.write(
      `Warning: ${address} can be reached from other machines. Whoever has the URL controls this app.\n`,
    )
  process.stdout.write(`Coppice is open at ${shell.url}\nStop with Ctrl+C.\n`)
  using _page = line.flag('no-open') ? null : openPage(shell.url, host.options.dataFolder, process.env)
  await untilSignal()
  return exitCodes.done
}

/** Fails when a requested port is taken. The default port gives way to any free port. */
function whenTaken(
  error: unknown,
  asked: number | undefined,
  takeAny: () => Promise<WebFrontend>,
): Promise<WebFrontend> {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE' && asked === undefined) return takeAny()
  if (code === 'EADDRINUSE')
    throw new Error(`Port ${asked} is in use. Choose another with --port, or leave it out for any free one.`)
  if (code === 'EACCES') throw new Error(`Port ${asked} needs more rights. Choose one above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new UsageError('--host takes an address of this machine.')
  throw error
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.')
}

function untilSignal(): Promise<void> {
  return new Promise((done) => {
    process.once('SIGINT', () => done())
    process.once('SIGTERM', () => done())
  })
}
