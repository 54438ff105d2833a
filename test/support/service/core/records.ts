/** Permission names ("Authentication 3"). */
export const permissions = ['chats:read', 'chats:write', 'messages:read', 'messages:send'] as const;
export type Permission = (typeof permissions)[number];

/** "Resources and their fields": Account. */
export interface Account {
	id: string;
	name: string;
	phone_number: string;
	status: string;
	provider: string;
}

/** "Resources and their fields": Chat. */
export interface Chat {
	id: string;
	name: string;
	type: 'individual' | 'group';
	is_muted: boolean;
	is_archived: boolean;
	last_message_at: string | null;
}

/** The `media` of a message; its fields are not shown in the spec. */
export interface MessageMedia {
	filename: string;
	mimetype: string;
	size: number;
}

/** "Resources and their fields": Message. */
export interface Message {
	id: string;
	from: string;
	to: string;
	body: string;
	type: string;
	raw_type: string;
	timestamp: number;
	from_me: boolean;
	has_media: boolean;
	media: MessageMedia | null;
}

/** "Resources and their fields": Contact. */
export interface Contact {
	phone: string;
	name: string;
	tags: string[];
	is_channel_user: boolean;
	notes: string;
	custom_fields: Record<string, unknown>;
	is_blocked: boolean;
	last_message_at: string | null;
	created_at: string;
}

/** "Resources and their fields": Group. */
export interface Group {
	id: string;
	name: string;
	color: string;
	description: string;
	icon: string;
}

/** "Resources and their fields": Tag. */
export interface Tag {
	id: string;
	name: string;
	color: string;
}

/** "Resources and their fields": Template. */
export interface Template {
	id: string;
	name: string;
	content: string;
	category: string;
	language: string;
	variables: string[];
	is_active: boolean;
}

/** Scheduled message `status` ("States and transitions"). */
export type ScheduledStatus = 'pending' | 'sent' | 'failed' | 'cancelled';

/** A scheduled message; its fields are inferred. */
export interface ScheduledMessage {
	id: string;
	to: string;
	message: string;
	scheduled_at: string;
	status: ScheduledStatus;
}

/** An auto-reply rule; its fields are inferred. */
export interface AutoReply {
	id: string;
	name: string;
	trigger_type: string;
	trigger_value: string;
	reply: string;
	is_active: boolean;
}

/** A broadcast; its fields are inferred. */
export interface Broadcast {
	id: string;
	name: string;
	recipients: string[];
	message: string | null;
	template_id: string | null;
	variables: Record<string, string>;
	delay_between_messages: number;
	status: 'running' | 'completed' | 'cancelled';
	total: number;
	sent: number;
	failed: number;
	created_at: string;
}

/** "Resources and their fields": Webhook config. */
export interface WebhookConfig {
	url: string;
	events: string[];
	is_active: boolean;
	timeout_seconds: number;
}
