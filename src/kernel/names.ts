/** Interfaces that modules extend by declaration merging, so that a misspelt name doesn't compile. */

/** Permission names of the workspace API. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface WorkspacePermissions {}
/** Permission names of the platform API. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface PlatformPermissions {}
/** Settings of a workspace and the type of their value. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface WorkspaceSettings {}
/** Record types that other records may reference: `vendor`. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Subjects {}

/** Events of the audit log. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface AuditEvents {}

export type Permission = keyof WorkspacePermissions & string
export type PlatformPermission = keyof PlatformPermissions & string
export type SettingKey = keyof WorkspaceSettings & string
export type SubjectType = keyof Subjects & string
export type AuditEvent = keyof AuditEvents & string
