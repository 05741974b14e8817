import { type ChildProcess, spawn } from 'node:child_process'
import { endsWithApp } from './ends-with-app.ts'
import { isProgram, systemProgram } from './system-programs.ts'

/** The program of this system that keeps the computer awake while it runs. Null where there is none. */
export function awakeProgram(platform: NodeJS.Platform = process.platform): readonly string[] | null {
  const [name = '', ...parameters] = programs[platform] ?? []
  const program = name === '' ? '' : systemProgram(name)
  return isProgram(program) && program !== name ? [program, ...parameters] : null
}

const programs: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    ...['systemd-inhibit', '--what=idle:sleep', '--who=Coppice', '--why=Agents work', '--mode=block'],
    ...['sleep', 'infinity'],
  ],
  darwin: ['caffeinate', '-i', '-s'],
}

/** Keeps the computer awake until it is disposed. `onProblem` hears once of a program that does not do it. */
export function keepAwake(program: readonly string[], onProblem: (error: unknown) => void): Disposable {
  const [file = '', ...parameters] = endsWithApp(program)
  const child: ChildProcess = spawn(file, parameters, { stdio: 'ignore', detached: true })
  child.unref()
  let isOver = false
  const fail = (error: unknown): void => {
    if (!isOver) onProblem(error)
    isOver = true
  }
  child.once('error', fail)
  child.once('exit', (code) => fail(new Error(`${program[0]} ended with code ${code ?? 'of a signal'}`)))
  return {
    [Symbol.dispose]() {
      // Its number may be that of another program by now.
      if (isOver) return
      isOver = true
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      } catch {}
    },
  }
}
