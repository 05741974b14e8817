import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type EditorRequest, editorOfFolder, type FolderEditorRequest, openEditor } from './open-editor.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-editor-'))
  for (const folder of ['project', 'bin']) mkdirSync(join(above, folder))
})

/** Makes a program that writes down its arguments. */
function makeEditor(folder: string, name: string, script = `printf '%s\\n' "$@" > "${above}/told"`): string {
  const place = join(above, folder, name)
  writeFileSync(place, `#!/bin/sh\n${script}\n`)
  chmodSync(place, 0o755)
  return place
}
const open = (request: Partial<EditorRequest> = {}) =>
  openEditor({
    wanted: null,
    file: join(above, 'project/a file.ts'),
    line: 7,
    rootFolder: join(above, 'project'),
    path: join(above, 'bin'),
    ...request,
  })
const told = () => readFileSync(join(above, 'told'), 'utf8').trimEnd().split('\n')

describe.skipIf(process.platform === 'win32')('opening a file in an editor', () => {
  it('takes the first known editor of the machine, at the line', async () => {
    makeEditor('bin', 'subl')
    makeEditor('bin', 'code')
    await open()
    expect(told()).toEqual(['--goto', `${join(above, 'project/a file.ts')}:7`])
  })

  it('takes the one of the settings, with the path last if no argument holds it', async () => {
    const editor = makeEditor('bin', 'mine')
    await open({ wanted: [editor, '--new; $(touch x)'] })
    expect(told()).toEqual(['--new; $(touch x)', join(above, 'project/a file.ts')])
    await open({ wanted: ['mine', '-l{line}', '{path}'] })
    expect(told()).toEqual(['-l7', join(above, 'project/a file.ts')])
  })

  it('never starts a program of the project, where agents may have written it', async () => {
    makeEditor('project', 'code')
    const path = `${join(above, 'project')}:relative`
    await expect(open({ path })).rejects.toThrow('No editor was found')
    await expect(open({ wanted: [join(above, 'project/code')] })).rejects.toThrow('was not found')
    expect(existsSync(join(above, 'told'))).toBe(false)
  })

  it('says what is wrong and what to do', async () => {
    await expect(open()).rejects.toThrow('Name one under "editor" in the settings')
    await expect(open({ wanted: ['missing'] })).rejects.toThrow('The editor "missing" was not found.')
    makeEditor('bin', 'code', 'exit 3')
    await expect(open()).rejects.toThrow('ended at once with code 3')
  })

  it('does not wait for an editor that stays open', async () => {
    makeEditor('bin', 'code', 'sleep 20')
    await open()
  })
})

describe.skipIf(process.platform === 'win32')('opening a folder in an editor', () => {
  const find = (request: Partial<FolderEditorRequest> = {}) =>
    editorOfFolder({
      ...{ wanted: null, editor: null, inTerminal: 'vi -n', folder: '/work/a b', rootFolder: join(above, 'project') },
      path: join(above, 'bin'),
      ...request,
    })

  it('waits for the editors that can say when they are done, and asks for no file or line', () => {
    const [code, idea] = [makeEditor('bin', 'code'), makeEditor('bin', 'idea')]
    expect(find()).toEqual({ line: [code, '--new-window', '--wait', '/work/a b'], waits: true })
    expect(find({ editor: 'idea' })).toEqual({ line: [idea, '/work/a b'], waits: false })
    expect(find({ wanted: ['idea', '--line', '{line}', '{path}'] })).toEqual({
      line: [idea, '/work/a b'],
      waits: false,
    })
    expect(find({ wanted: [code, '--profile', 'x', '--goto', '{path}:{line}'] })).toMatchObject({
      line: [code, '--profile', 'x', '--new-window', '--wait', '/work/a b'],
    })
  })

  it('never starts a program of the project, and takes that of the terminal last', () => {
    const own = makeEditor('project', 'code')
    expect(() => find({ editor: own })).toThrow(`The editor "${own}" was not found.`)
    expect(() => find({ wanted: ['missing'] })).toThrow('The editor "missing" was not found.')
  })
})
