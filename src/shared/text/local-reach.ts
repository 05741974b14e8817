/**
 * Says why a text is no socket of this machine that a person can grant, as a sentence with the next step. Null for a path from
 * the root, or one below the home as `~/…`.
 */
export function socketProblem(path: string): string | null {
  const shown = JSON.stringify(path.slice(0, 200))
  if (!/^(~\/|\/)./.test(path) || /[\0\n]|\/$/.test(path))
    return `${shown} is not the path of a socket. Write it in full, such as /run/docker.sock or ~/.colima/docker.sock.`
  if (path.split('/').some((part) => part === '..' || part === '.'))
    return `${shown} has a part that leads elsewhere. Write the path without "." and "..".`
  return null
}

/** The port that a text names; null for none. */
export function portIn(text: string): number | null {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null
}

const engines = /(?:docker|podman|containerd|buildkitd|crio)[^/]*\.sock$/
const keepers = /(?:ssh-|gpg-agent|agent\.\d+$|S\.gpg)/

/** What a command can do with a socket, as a sentence. */
export function openedBySocket(path: string): string {
  if (engines.test(path))
    return 'Whoever has it is root on this machine, or can do all that you can: containers show any folder.'
  if (keepers.test(path)) return 'Whoever has it signs and logs in with your keys.'
  return 'Whoever has it can do all that the program behind it does for you.'
}
