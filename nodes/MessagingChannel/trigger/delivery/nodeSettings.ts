import type { ErrorTexts } from '../../api/errors';
import { ENGINE_ADVICE } from '../../n8n/engine';
import type { Trigger } from './trigger';

const ADVICE = "Turn it off in the 'Settings' of the trigger";

/** n8n leaves a published trigger alone of which only the settings change, so it would not begin to poll. */
const PUBLISH = 'unpublish the workflow if it is published, and publish it';

/**
 * Why the trigger cannot receive events with the settings of the workflow and of the node.
 *
 * @returns undefined if it can
 */
export function receivingProblem(
	trigger: Pick<Trigger, 'node' | 'parameters' | 'isSetToEngine2'>,
): ErrorTexts | undefined {
	if (!trigger.isSetToEngine2) return settingsProblem(trigger);
	return {
		message:
			"The workflow is set to n8n's Engine 2.0, which leaves out what this trigger does with an event: it would drop no duplicates, take no answers and download no media",
		description: `${ENGINE_ADVICE}, ${PUBLISH}.`,
	};
}

/**
 * Why the trigger cannot work with the settings that n8n gives every node. n8n applies them after the trigger has output its
 * items, so no execution may start with an event.
 *
 * @returns undefined if it can
 */
export function settingsProblem({
	node: { alwaysOutputData, executeOnce },
	parameters,
}: Pick<Trigger, 'node' | 'parameters'>): ErrorTexts | undefined {
	if (alwaysOutputData === true) {
		return {
			message:
				"With 'Always Output Data', n8n starts the workflow with an empty item for duplicates, answers and checks of the trigger",
			description: `${ADVICE}, ${PUBLISH}.`,
		};
	}
	if (executeOnce === true && parameters.getNodeParameter('options.combineEvents', 'never') === 'whenBusy') {
		return {
			message:
				"With 'Execute Once', n8n runs only the first of the events that 'Combine Events' puts together",
			description: `${ADVICE}, or set 'Combine Events' to 'Never', ${PUBLISH}.`,
		};
	}
	return undefined;
}
