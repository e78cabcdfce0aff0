/** Whether this browser has WebRTC. Without it the page registers, but has no calls. */
export const canCall = typeof RTCPeerConnection === "function";
