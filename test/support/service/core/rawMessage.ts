import { phoneOfChat } from './phone';
import type { Message } from './records';

/** The provider's own data of a message ("Chats", `include_raw`: the content is not shown), as web clients report it. */
export function rawMessage({ id, from, to, body, raw_type, timestamp, from_me }: Message) {
	return {
		id: { fromMe: from_me, remote: from_me ? to : from, id: id.split('_').at(-1) ?? '', _serialized: id },
		rowId: 1_000_000_000,
		viewed: false,
		body,
		type: raw_type,
		t: timestamp,
		from: { server: 'c.us', user: phoneOfChat(from), _serialized: from },
		to: { server: 'c.us', user: phoneOfChat(to), _serialized: to },
		ack: 1,
		isNewMsg: true,
		star: false,
		isFromTemplate: false,
		latestEditMsgKey: null,
		broadcast: false,
		mentionedJidList: [],
		groupMentions: [],
		isForwarded: false,
		hasReaction: false,
		lastPlaybackProgress: 0,
		parentMsgId: null,
		isVideoCall: false,
		stickerSentTs: 0,
		invokedBotWid: null,
		links: [],
	} as const;
}
