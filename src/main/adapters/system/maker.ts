import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** One running process of the app. The fields are strings that are equal only for the same process. */
export interface Maker {
  readonly pid: number
  /** When it began, so that a later process with the same number is another one. Empty where the system cannot tell. */
  readonly started: string
  /** Machine, start of the machine and process namespace. Numbers of processes mean something only inside it. */
  readonly machine: string
}

let self: Maker | undefined

export function thisMaker(): Maker {
  self ??= { pid: process.pid, started: startOf(process.pid), machine: machineOf() }
  return self
}

/** False only for a process of this machine that has certainly ended. */
export function mayLive({ pid, started, machine }: Maker): boolean {
  if (machine !== thisMaker().machine) return machine.split(' ')[0] !== hostname() || !isEarlierStart(machine)
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return startOf(pid) === started
}

/** The maker as one word without spaces, for an environment. */
export function makerMark(): string {
  const { pid, started, machine } = thisMaker()
  return [pid, started, ...machine.split(' ')].join(':')
}

export function readMark(mark: string): Maker | undefined {
  const [pid = '', started = '', ...machine] = mark.split(':')
  return /^\d+$/.test(pid) && machine.length > 0 ? { pid: Number(pid), started, machine: machine.join(' ') } : undefined
}

function isEarlierStart(machine: string): boolean {
  const boot = machine.split(' ')[1] ?? ''
  return boot !== '' && boot !== thisMaker().machine.split(' ')[1]
}

function machineOf(): string {
  return [hostname(), textOf('/proc/sys/kernel/random/boot_id').trim(), namespaceOf()].join(' ')
}

function namespaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    return ''
  }
}

/** The 22nd field, counted after the program's name, which may hold anything. */
function startOf(pid: number): string {
  const stat = textOf(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
