import type { Resource } from '../../operation/operation';
import { downloadFile } from './downloadFile';
import { downloadFromMessage } from './downloadFromMessage';
import { send } from './send';
import { sendAudio } from './sendAudio';
import { sendDocument } from './sendDocument';
import { sendImage } from './sendImage';
import { sendSticker } from './sendSticker';
import { sendVoice } from './sendVoice';

export const media: Resource = {
	value: 'media',
	name: 'Media',
	operations: [
		send,
		sendImage,
		sendDocument,
		sendAudio,
		sendVoice,
		sendSticker,
		downloadFromMessage,
		downloadFile,
	],
};
