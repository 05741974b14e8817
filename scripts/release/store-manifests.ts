/** A release as its files say it: the version, `owner/name` of the repository, and the text of SHA256SUMS. */
export interface Release {
  readonly version: string
  readonly repository: string
  readonly checksums: string
}

/** SHA-256 of a file of the release, in hex. Throws when the release has no such file. */
function digestOf({ checksums }: Release, file: string): string {
  const line = checksums.split('\n').find((entry) => entry.endsWith(`  ${file}`))
  if (line === undefined) throw new Error(`SHA256SUMS has no ${file}, so no manifest can name it.`)
  return line.slice(0, 64)
}

/** The Homebrew cask. */
export function writeCask(release: Release): string {
  const { version, repository } = release
  const file = (arch: string) => `Coppice-${version}-mac-${arch}.dmg`
  return `cask "coppice" do
  arch arm: "arm64", intel: "x64"

  version "${version}"
  sha256 arm:   "${digestOf(release, file('arm64'))}",
         intel: "${digestOf(release, file('x64'))}"

  url "https://github.com/${repository}/releases/download/v#{version}/Coppice-#{version}-mac-#{arch}.dmg"
  name "Coppice"
  desc "AI agents work on a copy of your project"
  homepage "https://github.com/${repository}"

  auto_updates true

  app "Coppice.app"
  binary "#{appdir}/Coppice.app/Contents/Resources/bin/coppice"

  zap trash: "~/Library/Application Support/coppice"
end
`
}

/** The three files of a winget manifest by name. */
export function writeWinget(release: Release): Readonly<Record<string, string>> {
  const { version, repository } = release
  const [owner = ''] = repository.split('/')
  const id = `${owner}.Coppice`
  const schema = (
    type: string,
  ) => `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.1.10.0.schema.json
PackageIdentifier: ${id}
PackageVersion: ${version}
`
  const end = (type: string) => `ManifestType: ${type}\nManifestVersion: 1.10.0\n`
  const installers = ['x64', 'arm64'].map((arch) => {
    const file = `Coppice-${version}-win-${arch}.exe`
    return `  - Architecture: ${arch}
    InstallerUrl: https://github.com/${repository}/releases/download/v${version}/${file}
    InstallerSha256: "${digestOf(release, file).toUpperCase()}"
`
  })
  return {
    [`${id}.yaml`]: `${schema('version')}DefaultLocale: en-US\n${end('version')}`,
    [`${id}.installer.yaml`]: `${schema('installer')}InstallerType: nullsoft\nScope: user\nInstallers:\n${installers.join('')}${end('installer')}`,
    [`${id}.locale.en-US.yaml`]: `${schema('defaultLocale')}PackageLocale: en-US
Publisher: ${owner}
PackageName: Coppice
License: MIT
ShortDescription: AI agents work on a copy of your project
PackageUrl: https://github.com/${repository}
${end('defaultLocale')}`,
  }
}
