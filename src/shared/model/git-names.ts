/** Names that some file system opens as git's own. They belong to the overlay. */
export { isGitModulesName, isGitName } from '#overlay'
