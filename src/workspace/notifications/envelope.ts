/** The data of a notification: one envelope, whoever produces it (NTF-01 … NTF-16). Fields are added to it, and never change their meaning. */
import { z } from 'zod'
import { CATEGORIES, SOURCES } from '#kernel/modules/notifications.ts'
import { RECORDS, TYPES } from './catalogue.ts'

export const SCHEMA_VERSION = 1

export const MAX_SAMPLES = 5

const Route = z
  .object({
    resource: z.enum(RECORDS),
    action: z.enum(['show', 'list']),
    entity_id: z.int().nullable(),
    filters: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'NotificationRoute', description: 'Where a client leads to.' })

export const Envelope = z
  .object({
    schema_version: z.literal(SCHEMA_VERSION),
    type: z.string().meta({ description: `${TYPES.join(', ')}; with \`.digest\` for many at once.` }),
    category: z.enum(CATEGORIES),
    title: z.string(),
    body: z.string(),
    entity_type: z.enum(RECORDS).nullable(),
    entity_id: z.int().nullable(),
    actor_id: z.int().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    count: z.int().optional(),
    batch_id: z.uuid().optional(),
    dedupe_key: z.string(),
    source: z.enum(SOURCES),
    route: Route,
    delivery: z.enum(['immediate', 'aggregated', 'scheduled']),
    broadcast_ready: z.boolean(),
    sample_entity_ids: z.array(z.int()).max(MAX_SAMPLES).optional(),
  })
  .meta({ id: 'NotificationData' })
export type Envelope = z.infer<typeof Envelope>
