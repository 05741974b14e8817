import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** One running process of the app. The fields are strings that are equal only for the same process. */
export interface Maker {
  readonly pid: number
  /** When it began, so that a later process with the same number is another one. Empty where the system cannot tell. */
  readonly started: string
  /** Machine, start of the machine and process namespace. Numbers of processes mean something only inside it. */
  readonly machine: string
  /** What its programs carry. It says nothing about the machine. Absent for makers of earlier versions. */
  readonly run?: string
}

let self: (Maker & { readonly run: string }) | undefined

export function thisMaker(): Maker & { readonly run: string } {
  self ??= { pid: process.pid, started: startOf(process.pid), machine: machineOf(), run: randomUUID() }
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
