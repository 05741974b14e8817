import { arch } from 'node:os'

interface CallNumbers {
  /** The kernel's number for the machine. */
  readonly machine: number
  readonly socket: number
  readonly denied: readonly number[]
}

/**
 * Calls that reach what no namespace separates (keys of the login session, virtual machine sockets), or that have often
 * been the way into the kernel, or whose memory nobody counts: add_key, request_key, keyctl, perf_event_open, userfaultfd, bpf,
 * io_uring_setup, io_uring_enter, io_uring_register, memfd_secret.
 */
const numbersOf: Readonly<Record<string, CallNumbers>> = {
  x64: { machine: 0xc000003e, socket: 41, denied: [248, 249, 250, 298, 323, 321, 425, 426, 427, 447] },
  arm64: { machine: 0xc00000b7, socket: 198, denied: [217, 218, 219, 241, 282, 280, 425, 426, 427, 447] },
}

const familyOfMachines = 40
const [load, equal, atLeast, answer] = [0x20, 0x15, 0x35, 0x06]
const [allow, refuse, kill] = [0x7fff0000, 0x00050001, 0x80000000]
/** Offsets of the call's number, the machine and the first argument in the kernel's data. */
const [numberAt, machineAt, argumentAt] = [0, 4, 16]
const x32Calls = 0x40000000

/**
 * A filter in the kernel's format, or null when the machine's call numbers are not known. Refused calls return EPERM.
 */
export function seccompFilter(machine: string = arch()): Buffer | null {
  const numbers = numbersOf[machine]
  if (!numbers) return null
  const { denied } = numbers
  const program: (readonly [number, number, number, number])[] = [
    [load, 0, 0, machineAt],
    [equal, 1, 0, numbers.machine],
    [answer, 0, 0, kill],
    [load, 0, 0, numberAt],
    [atLeast, denied.length + 4, 0, x32Calls],
    ...denied.map((number, index) => [equal, denied.length - index + 3, 0, number] as const),
    [equal, 0, 2, numbers.socket],
    [load, 0, 0, argumentAt],
    [equal, 1, 0, familyOfMachines],
    [answer, 0, 0, allow],
    [answer, 0, 0, refuse],
  ]
  return Buffer.concat(program.map(instruction))
}

function instruction([code, ifTrue, ifFalse, value]: readonly [number, number, number, number]): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
