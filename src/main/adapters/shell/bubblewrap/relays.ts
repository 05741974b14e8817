import { systemProgram } from '../../system/system-programs.ts'
import { proxyPort } from '../host-proxy.ts'
import { portPlace, proxyPlace } from './bubblewrap.ts'

/** A port of the program's own loopback that leads to a socket in its sandbox. */
interface Relay {
  readonly port: number
  readonly socket: string
}

/** The command line that connects these first: the proxy of granted hosts, and granted ports of the machine. */
export function withRelays(
  program: readonly string[],
  { hasProxy, ports }: { readonly hasProxy: boolean; readonly ports: readonly { readonly port: number }[] },
): readonly string[] {
  const proxy = hasProxy ? [{ port: proxyPort, socket: proxyPlace }] : []
  const relays: readonly Relay[] = [...proxy, ...ports.map(({ port }) => ({ port, socket: portPlace(port) }))]
  if (relays.length === 0) return program
  const script = [...relays.map(connect), 'exec "$@"'].join('\n')
  return [systemProgram('bash'), '--norc', '-c', script, 'bash', ...program]
}

/** Waits until the port can be reached or its way has ended. */
function connect({ port, socket }: Relay): string {
  return `socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${socket} > /dev/null 2>&1 &
while kill -0 $! 2> /dev/null && [ $SECONDS -lt 10 ]; do
  if (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; then break; fi; read -t 0.01 _ <> <(:) || :
done`
}
