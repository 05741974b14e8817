import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FolderFacts, isOnNetwork, watchModeOf } from './watch-mode.ts'

const fuse = 0x65735546
const mountinfo = [
  '22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw',
  '40 22 0:40 / /home/ann/far\\040away rw - fuse.sshfs ann@server:/ rw',
  '41 22 8:2 / /media/stick rw - fuseblk /dev/sdb1 rw',
].join('\n')
const macMounts = [
  '/dev/disk3s1 on / (apfs, sealed, local, read-only)',
  '//ann@server/share on /Volumes/share (smbfs, nodev, nosuid, mounted by ann)',
  '/dev/disk5s1 on /Volumes/Stick (exfat, local, nodev)',
  'server:/export on /Users/ann/export (nfs)',
].join('\n')
const facts = (given: Partial<FolderFacts>): FolderFacts => ({
  platform: 'linux',
  folder: '/home/ann/project',
  type: null,
  mounts: '',
  ...given,
})

describe('watch mode', () => {
  it.each([
    ['NFS', { type: 0x6969 }],
    ['SMB', { type: 0xff534d42 }],
    ['9p, as in WSL', { type: 0x01021997 }],
    ['sshfs, in a folder with a space', { type: fuse, folder: '/home/ann/far away/project', mounts: mountinfo }],
    ['an unknown FUSE', { type: fuse }],
    ['an SMB share on macOS', { platform: 'darwin', folder: '/Volumes/share/project', mounts: macMounts }],
    ['NFS on macOS, outside /Volumes', { platform: 'darwin', folder: '/Users/ann/export', mounts: macMounts }],
    ['a volume on macOS without a list of mounts', { platform: 'darwin', folder: '/Volumes/share' }],
    ['a share on Windows', { platform: 'win32', folder: '\\\\server\\share\\project' }],
    ['a share on Windows in its long form', { platform: 'win32', folder: '\\\\?\\UNC\\server\\share' }],
    ['a folder of WSL seen from Windows', { platform: 'win32', folder: '\\\\wsl$\\Debian\\home' }],
  ] as const)('polls %s', (_, given) => {
    expect(isOnNetwork(facts(given))).toBe(true)
  })

  it.each([
    ['ext4', { type: 0xef53 }],
    ['memory', { type: 0x01021994 }],
    ['a file system without a number', {}],
    ['a local disk through FUSE', { type: fuse, folder: '/media/stick/project', mounts: mountinfo }],
    ['a disk on macOS', { platform: 'darwin', folder: '/Users/ann/project', mounts: macMounts }],
    ['a stick on macOS', { platform: 'darwin', folder: '/Volumes/Stick/project', mounts: macMounts }],
    ['a drive on Windows', { platform: 'win32', folder: 'C:\\project' }],
    ['a drive on Windows in its long form', { platform: 'win32', folder: '\\\\?\\C:\\project' }],
  ] as const)('takes the events of %s', (_, given) => {
    expect(isOnNetwork(facts(given))).toBe(false)
  })

  it('follows the environment, and the file system without it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-mode-'))
    expect(watchModeOf(folder, { COPPICE_WATCH_POLLING: '1' })).toBe('polling')
    expect(watchModeOf(folder, { COPPICE_WATCH_POLLING: '0' })).toBe('events')
    expect(watchModeOf(folder, {})).toBe('events')
    expect(watchModeOf(join(folder, 'missing'), {})).toBe('events')
    rmSync(folder, { recursive: true })
  })
})
