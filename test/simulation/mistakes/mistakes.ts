import type { WorldName } from '../worlds';
import { ANSWERS, WAITING } from './answers';
import { MISSED } from './missed';
import { RECEIVING } from './receiving';
import { CAMPAIGN } from './campaign';
import { SENDING } from './sending';
import type { Mistakes } from './wrap';

/** The mistakes that the histories of each world must find. */
export const MISTAKES: Record<WorldName, Mistakes> = {
	sending: SENDING,
	campaign: CAMPAIGN,
	receiving: RECEIVING,
	missed: MISSED,
	waiting: WAITING,
	answers: ANSWERS,
};
