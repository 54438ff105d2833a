import { recordId } from '../../fields/recordId';

export const broadcastId = recordId('broadcastId', 'Broadcast ID', 'Broadcast > Get Many');
