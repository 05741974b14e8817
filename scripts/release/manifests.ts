/** What a release consists of: its files on GitHub, and the hash of each. */
export interface Release {
  readonly version: string
  /** Such as `https://github.com/owner/coppice`. */
  readonly repository: string
  /** Hashes (SHA-256, hexadecimal) by the names of files. */
  readonly hashes: ReadonlyMap<string, string>
}

/** The file whose name ends like this, and its hash. Throws when the release has none or several. */
function fileOf({ hashes }: Release, ending: string) {
  const found = [...hashes].filter(([name]) => name.endsWith(ending))
  const [first] = found
  if (first === undefined || found.length > 1)
    throw new Error(`The release has ${found.length} files that end with ${ending}, and one is needed.`)
  const [name, hash] = first
  return { name, hash }
}

const addressOf = ({ repository, version }: Release, name: string) =>
  `${repository}/releases/download/v${version}/${encodeURIComponent(name)}`

/** A cask for Homebrew (docs.brew.sh/Cask-Cookbook). */
export function writeCask(release: Release): string {
  const [arm, intel] = [fileOf(release, '-arm64.dmg'), fileOf(release, '-x64.dmg')]
  const address = addressOf(release, arm.name)
    .replace(release.version, '#{version}')
    .replace(release.version, '#{version}')
  return `cask "coppice" do
  arch arm: "arm64", intel: "x64"

  version "${release.version}"
  sha256 arm:   "${arm.hash}",
         intel: "${intel.hash}"

  url "${address.replace('arm64.dmg', '#{arch}.dmg')}"
  name "Coppice"
  desc "Let an AI agent work on a project without any risk to it"
  homepage "${release.repository}"

  auto_updates true

  app "Coppice.app"

  # The data of the person stays unless they ask for more than an uninstall.
  zap trash: "~/Library/Application Support/coppice"
end
`
}

/** The three files of a manifest for winget (schema 1.6), by their names. */
export function writeWingetManifests(release: Release): ReadonlyMap<string, string> {
  const head = (type: string) =>
    `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.1.6.0.schema.json
PackageIdentifier: Coppice.Coppice
PackageVersion: ${release.version}
`
  const foot = (type: string) => `ManifestType: ${type}\nManifestVersion: 1.6.0\n`
  const installers = (['x64', 'arm64'] as const).map((architecture) => {
    const { name, hash } = fileOf(release, `-${architecture}.exe`)
    return `  - Architecture: ${architecture}
    InstallerUrl: ${addressOf(release, name)}
    InstallerSha256: ${hash.toUpperCase()}
`
  })
  return new Map([
    ['Coppice.Coppice.yaml', `${head('version')}DefaultLocale: en-US\n${foot('version')}`],
    [
      'Coppice.Coppice.installer.yaml',
      `${head('installer')}InstallerType: nullsoft\nScope: user\nInstallers:\n${installers.join('')}${foot('installer')}`,
    ],
    [
      'Coppice.Coppice.locale.en-US.yaml',
      `${head('defaultLocale')}PackageLocale: en-US
Publisher: Coppice
PackageName: Coppice
License: MIT
ShortDescription: Let an AI agent work on a project without any risk to it
PackageUrl: ${release.repository}
${foot('defaultLocale')}`,
    ],
  ])
}
